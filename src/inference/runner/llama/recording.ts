// Recordings as the server sends them: WAV with one channel, 16,000 samples per second and 16 bits, after a header of 44 bytes.

export const recordingRate = 16_000;
const headerBytes = 44;
const fullScale = 0x8000;

/** Whether the file is a recording, and not an image. */
export function isRecording(file: Uint8Array): boolean {
  const start = Buffer.from(file.subarray(0, headerBytes)).toString('latin1');
  return start.startsWith('RIFF') && start.startsWith('WAVE', 8);
}

/** Samples from -1 to 1. */
export function samplesOf(file: Uint8Array): Float32Array {
  // A copy begins at a multiple of two bytes. An odd byte at the end is no sample.
  const bytes = new Uint8Array(file.subarray(headerBytes, file.length - (file.length % 2)));
  const integers = new Int16Array(bytes.buffer);
  const samples = new Float32Array(integers.length);
  for (let index = 0; index < integers.length; index++) samples[index] = (integers[index] as number) / fullScale;
  return samples;
}
