// Writes vectors as JSON with the digits of a float32. JSON.stringify would write those of a float64: twice the bytes.

import { shortestFloat32 } from '../../base/text/float32.ts';

/** The shortest decimal number that parses to the same float32. */
export function formatFloat32(value: number): string {
  return String(shortestFloat32(value));
}

export function formatVector(vector: Float32Array): string {
  const parts = new Array<string>(vector.length);
  for (let index = 0; index < vector.length; index++) parts[index] = formatFloat32(vector[index] as number);
  return `[${parts.join(',')}]`;
}
