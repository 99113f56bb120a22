import { expect, test } from 'vitest';
import { toneWav } from '../../../test/support/speech/random-whisper.ts';
import { silentFlac } from '../../../test/support/speech/write-flac.ts';
import { checkAudio } from './check-audio.ts';

function flac({ rate, channels }: { readonly rate: number; readonly channels: number }): Buffer {
  const bytes = Buffer.alloc(42);
  bytes.write('fLaC');
  bytes[7] = 34;
  bytes.writeUInt32BE(((rate << 12) | ((channels - 1) << 9)) >>> 0, 18);
  return bytes;
}

test('kinds of audio are told apart by their first bytes', () => {
  const ogg = Buffer.alloc(64);
  ogg.write('OggS');
  ogg.write('\u0001vorbis', 28, 'latin1');
  const files = [
    toneWav(0.1),
    flac({ rate: 44_100, channels: 2 }),
    ogg,
    Buffer.from('ID3\u0004'),
    Buffer.from([0xff, 0xfb]),
  ];
  expect(files.map((file) => checkAudio(file, 60))).toEqual(['wav', 'flac', 'ogg', 'mp3', 'mp3']);
});

test.each<readonly [name: string, bytes: Buffer, reason: string]>([
  ['nothing', Buffer.alloc(0), 'neither WAV'],
  ['a text', Buffer.from('hello, this is no audio'), 'neither WAV'],
  ['Ogg Opus', Buffer.from(`OggS${'\0'.repeat(24)}OpusHead`), 'neither WAV'],
  ['a WAV file that ends in its header', toneWav(1).subarray(0, 20), 'no description'],
  ['a WAV file without a format', Buffer.from(`RIFF\0\0\0\0WAVE${'\0'.repeat(4096)}`), 'no description'],
  ['a WAV file with endless samples', toneWav(0.01, { rate: 4_000_000 }), '4000000 samples per second'],
  ['a WAV file with hardly any samples', toneWav(10, { rate: 1 }), '1 samples per second'],
  ['a WAV file with too many channels', toneWav(0.01, { channels: 200 }), '200 channels'],
  ['a FLAC file that ends in its header', flac({ rate: 44_100, channels: 1 }).subarray(0, 30), 'no description'],
  ['a FLAC file that stands for days', silentFlac(100_000, { saysLength: true }), 'longer than 60 seconds'],
  ['a FLAC file with endless samples', flac({ rate: 655_350, channels: 1 }), '655350 samples per second'],
])('%s is refused', (_name, bytes, reason) => {
  expect(() => checkAudio(bytes, 60)).toThrow(reason);
});
