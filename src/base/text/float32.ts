// Decimal forms of float32 values. As float64 they have twice the digits: 0.1 becomes 0.10000000149011612.

/** The float64 with the fewest digits that rounds to the same float32. */
export function shortestFloat32(value: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return value;
}
