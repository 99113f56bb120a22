// Records the microphone. Browsers write kinds of files that the server does not read, so the recording is converted to WAV.

import { toWav } from './to-wav.ts';

/** What speech models hear. */
const rate = 16_000;
const sliceMs = 1000;

interface RecordOptions {
  /** Ends the recording, which is kept. */
  readonly stop: AbortSignal;
  /** Ends the recording, which is lost. */
  readonly cancel: AbortSignal;
  readonly maxSeconds: number;
  /** Called at the start and with every second. */
  readonly onSecond: (seconds: number) => void;
}

/** Resolves with a WAV file when the recording ends. Rejects if it is canceled, or if there is no microphone. */
export async function recordWav(options: RecordOptions): Promise<Blob> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    // The user may have decided otherwise while the browser asked for permission.
    options.cancel.throwIfAborted();
    const parts = await recordParts(stream, options);
    options.cancel.throwIfAborted();
    return await convert(new Blob(parts as Blob[]));
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

function recordParts(stream: MediaStream, { stop, cancel, maxSeconds, onSecond }: RecordOptions) {
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  const end = (): void => {
    if (recorder.state !== 'inactive') recorder.stop();
  };
  return new Promise<readonly Blob[]>((resolve, reject) => {
    recorder.ondataavailable = ({ data }) => {
      parts.push(data);
      if (recorder.state === 'recording') onSecond(parts.length);
      if (parts.length >= maxSeconds) end();
    };
    recorder.onerror = () => reject(new DOMException('', 'EncodingError'));
    // This also happens when the microphone is unplugged.
    recorder.onstop = () => resolve(parts);
    for (const signal of [stop, cancel]) signal.addEventListener('abort', end, { once: true });
    recorder.start(sliceMs);
    onSecond(0);
    if (stop.aborted) end();
  });
}

/** Throws an error of the browser if there is no sound in it. */
async function convert(recording: Blob): Promise<Blob> {
  // The decoder also changes the rate to that of the context.
  const context = new OfflineAudioContext(1, 1, rate);
  const decoded = await context.decodeAudioData(await recording.arrayBuffer());
  return new Blob([toWav(mixChannels(decoded), rate)], { type: 'audio/wav' });
}

function mixChannels(decoded: AudioBuffer): Float32Array {
  const count = decoded.numberOfChannels;
  const channels = Array.from({ length: count }, (_, index) => decoded.getChannelData(index));
  const sumAt = (index: number): number => channels.reduce((sum, channel) => sum + (channel[index] as number), 0);
  return new Float32Array(decoded.length).map((_, index) => sumAt(index) / count);
}
