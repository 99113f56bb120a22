// Models that hear, with a tiny model of random weights: it answers as mtmd alone does.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childEnvironment } from '../../src/base/config/child-environment.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { RecordingDecoder } from '../../src/features/speech/decode-recording.ts';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { vocabulary } from '../support/architectures/tiny-model.ts';
import { answerOf, launcher, never, requestOf, startEngine } from '../support/engine.ts';
import { openDirectMtmd } from '../support/models/direct-mtmd.ts';
import { windowTokens, writeTinyAudio } from '../support/models/tiny-audio.ts';
import { repository } from '../support/repository.ts';
import { toneWav } from '../support/speech/random-whisper.ts';
import { toneMp3 } from '../support/speech/tone-mp3.ts';
import { silentFlac, toneFlac } from '../support/speech/write-flac.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-tiny-audio-'));
const files = writeTinyAudio(folder);
const decoder = new RecordingDecoder({
  script: repository('dist/features/speech/decode-program.js'),
  childSettings: { launcher, environment: childEnvironment(process.env) },
  clock: systemClock,
});
let engine: Engine;
let lease: Lease;
beforeAll(async () => {
  engine = startEngine();
  const source = { kind: 'local' as const, key: 'hears', adapterPaths: [], fileBytes: 1, ...files };
  const options = resolveOptions({ numCtx: 1024 }).load;
  lease = await engine.acquire({ name: 'hears', source, options }, never);
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true });
});

const count = 24;
/** They have no text. */
const control = [...vocabulary.keys()].filter((token) => (vocabulary[token] as string).length > 1);
const direct = openDirectMtmd(files, control);
const stereo = { rate: 44_100, channels: 2 };

async function ask(prompt: string, ...recordings: readonly Buffer[]) {
  const images = await Promise.all(recordings.map((file) => decoder.decode(file, 60)));
  const options = { temperature: 0, numPredict: count, repeatPenalty: 1 };
  const { text, started } = await answerOf(
    lease.generate(
      requestOf(prompt, options, { images, logitBias: control.map((token) => [token, -100] as const) }),
      never,
    ),
  );
  return { text, started };
}

const textOf = (tokens: readonly number[]): string =>
  tokens.map((token) => vocabulary[token]?.replace('Ġ', ' ').replace('Ċ', '\n')).join('');

test.each<readonly [name: string, file: Buffer]>([
  ['WAV', toneWav(3)],
  ['WAV, 44.1 kHz, stereo', toneWav(3, stereo)],
  ['FLAC', toneFlac(5)],
  ['MP3', toneMp3],
  ['WAV, longer than a window', toneWav(40)],
])('the answer is that of mtmd alone: %s', async (_name, file) => {
  const expected = direct.ask('Hear{}this:', file, count);
  const { text, started } = await ask('Hear[img-0]this:', file);
  expect(started.promptTokens).toBe(expected.positions);
  expect(text).toBe(textOf(expected.tokens));
});

test('another recording has another answer, and as many tokens', async () => {
  const [tone, silence] = [
    await ask('Hear[img-0]this:', toneWav(3)),
    await ask('Hear[img-0]this:', silentFlac(3, { saysLength: true })),
  ];
  expect(silence.started.promptTokens).toBe(tone.started.promptTokens);
  expect((tone.started.promptTokens - 'Hearthis:'.length) % windowTokens).toBe(0);
  expect(silence.text).not.toBe(tone.text);
});

test('a conversation goes on with the recording that was evaluated', async () => {
  const first = await ask('Before[img-0]after.', toneWav(4));
  const again = await ask('Before[img-0]after. More', toneWav(4));
  expect(again.started.cachedTokens).toBeGreaterThanOrEqual('Before'.length + windowTokens);
  const other = await ask('Before[img-0]after. More', toneWav(5));
  expect(other.started.cachedTokens).toBeLessThanOrEqual('Before'.length);
  expect(first.text).toHaveLength(count);
});

test.each<readonly [name: string, file: Buffer, reason: string]>([
  ['is too long and does not say so', silentFlac(5 * 24 * 3600, { saysLength: false }), 'longer than 60 seconds'],
  ['is damaged', Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0]), Buffer.alloc(5000, 0xaa)]), 'recording'],
  ['has no audio', toneWav(0), 'recording'],
])('a recording that %s is refused', async (_name, file, reason) => {
  await expect(decoder.decode(file, 60)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining(reason),
  });
});
