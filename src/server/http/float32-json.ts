// Writes vectors as JSON with the digits of a float32. JSON.stringify would write those of a float64: twice the bytes.

/** The shortest decimal number that parses to the same float32. */
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
