// Writes samples as a WAV file with 16 bits, which the server reads.

const headerBytes = 44;
const bytesPerSample = 2;

/** Mono. Samples are between -1 and 1. */
export function toWav(samples: Float32Array, rate: number): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * bytesPerSample;
  const view = new DataView(new ArrayBuffer(headerBytes + dataBytes));
  const write = (position: number, text: string): void => {
    for (let index = 0; index < text.length; index++) view.setUint8(position + index, text.charCodeAt(index));
  };
  write(0, 'RIFF');
  view.setUint32(4, headerBytes - 8 + dataBytes, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * bytesPerSample, true);
  view.setUint16(32, bytesPerSample, true);
  view.setUint16(34, 8 * bytesPerSample, true);
  write(36, 'data');
  view.setUint32(40, dataBytes, true);
  samples.forEach((sample, index) => {
    const value = Math.max(-1, Math.min(sample, 1));
    view.setInt16(headerBytes + index * bytesPerSample, Math.round(value * 0x7fff), true);
  });
  return new Uint8Array(view.buffer);
}
