// The lines of a small chart, as functions of plain data.

interface ChartSize {
  readonly width: number;
  readonly height: number;
}

/** The lowest of 1, 2 or 5 times a power of ten that is not below the value; at least 1. */
export function roundUp(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((step) => step * power >= value) ?? 10);
}

/** The path of an area below the values, from left to right. `max` is at the upper edge. */
export function areaPath(values: readonly number[], max: number, { width, height }: ChartSize): string {
  return `M0 ${height}${linePath(values, max, { width, height }).replace(/^M/, 'L')}L${width} ${height}Z`;
}

export function linePath(values: readonly number[], max: number, { width, height }: ChartSize): string {
  const step = width / Math.max(values.length - 1, 1);
  const points = values.map((value, index) => `${round(index * step)} ${round(height * (1 - value / max))}`);
  return `M${points.join('L')}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
