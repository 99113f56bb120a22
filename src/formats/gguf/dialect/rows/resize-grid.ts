// Resizes a square grid of vectors. The corners stay, values between are interpolated.

interface GridSize {
  /** Values of a vector. */
  readonly width: number;
  /** Vectors per side. */
  readonly from: number;
  readonly to: number;
  /** The first values of all vectors come first, then the second ones. Otherwise vector follows vector. */
  readonly byColumn: boolean;
}

export function resizeGrid(values: Float32Array, { width, from, to, byColumn }: GridSize): Float32Array {
  const at = (row: number, column: number, index: number): number => {
    const place = row * from + column;
    return values[byColumn ? index * from * from + place : place * width + index] as number;
  };
  const result = new Float32Array(width * to * to);
  const weights = Array.from({ length: to }, (_, index) => neighbours(index, from, to));
  for (const [row, [top, bottom, down]] of weights.entries()) {
    for (const [column, [left, right, across]] of weights.entries()) {
      for (let index = 0; index < width; index++) {
        const upper = at(top, left, index) * (1 - across) + at(top, right, index) * across;
        const lower = at(bottom, left, index) * (1 - across) + at(bottom, right, index) * across;
        result[(row * to + column) * width + index] = upper * (1 - down) + lower * down;
      }
    }
  }
  return result;
}

/** The two places of the source around one of the result, and the weight of the second. */
function neighbours(index: number, from: number, to: number): readonly [number, number, number] {
  const place = to <= 1 ? 0 : (index * (from - 1)) / (to - 1);
  const first = Math.floor(place);
  return [first, Math.min(first + 1, from - 1), place - first];
}
