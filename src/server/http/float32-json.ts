// Vectors as JSON with as many digits as a float32 has and no more: half the bytes of what JSON.stringify would write.

/** The shortest decimal that reads back as the same float32. */
export function formatFloat32(value: number): string {
  for (let digits = 6; digits <= 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

export function formatVector(vector: Float32Array): string {
  const parts = new Array<string>(vector.length);
  for (let index = 0; index < vector.length; index++) parts[index] = formatFloat32(vector[index] as number);
  return `[${parts.join(',')}]`;
}
