export interface PassSize {
  readonly rows: number;
  /** Cells of the sequence before the pass. */
  readonly cells: number;
}

export interface MeasuredPass extends PassSize {
  readonly nanoseconds: number;
}

interface Measurement {
  samples: number;
  fastest: number;
}

// A pass with one row is the unit of all others, and there are many of them.
const samplesOfOne = 8;
const samplesOfSize = 3;
const samplesOfDraft = 8;
// From this length on, llama.cpp's attention takes most of the time and depends on the length.
const shortContext = 512;

// Before anything is measured: so little that the first drafts are made, and are measured.
const assumedPerRow = 0.35;
const assumedDraft = 0.2;
// Kernels compute rows in tiles of these sizes, so passes cost about as much as the next larger size.
const rowSizes = [2, 4, 8, 16, 32, 64];
// llama.cpp computes the attention of so many rows in tiles too, so a row costs less than in smaller passes.
const tileRows = 64;
const assumedTile = 14;

export function createPassCosts() {
  // The cells with which passes with one row were measured. A sequence asks with every token.
  let known = { from: 0, to: 0 };
  const measured = new Map<number, Measurement>();
  const drafted: Measurement = { samples: 0, fastest: Number.POSITIVE_INFINITY };

  /** Undefined if there are too few samples. */
  const timeOf = (size: number, length: number): number | undefined => {
    const found = measured.get(keyOf(size, length));
    return found !== undefined && found.samples >= samplesFor(size) ? found.fastest : undefined;
  };

  /** Relative to a pass with one row. */
  const ratioOf = (size: number, length: number): number | undefined => {
    const [time, unit] = [timeOf(size, length), timeOf(1, length)];
    return time === undefined || unit === undefined ? undefined : Math.max(1, time / unit);
  };

  /** That of the nearest length of context that was measured. */
  const nearestRatio = (size: number, length: number): number | undefined => {
    for (let distance = 0; distance <= longest; distance++) {
      const ratio = ratioOf(size, length + distance) ?? ratioOf(size, length - distance);
      if (ratio !== undefined) return ratio;
    }
    return undefined;
  };

  /** By the nearest size that was measured, if a row costs the same in both. */
  const derive = (rows: number, length: number): number => {
    const distance = (size: number): number => Math.abs(Math.log2(size / rows));
    const sizes = rowSizes.filter((size) => size < tileRows).sort((a, b) => distance(a) - distance(b));
    for (const size of sizes) {
      const ratio = nearestRatio(size, length);
      if (ratio !== undefined) return 1 + ((ratio - 1) * (rows - 1)) / (size - 1);
    }
    return 1 + (rows - 1) * assumedPerRow;
  };

  return {
    /** Whether passes of this size are still to be measured. */
    wants({ rows, cells }: PassSize): boolean {
      if (rows === 1 && cells >= known.from && cells < known.to) return false;
      const length = lengthOf(cells);
      const size = sizeOf(rows);
      if (timeOf(size, length) === undefined) return isTypical(rows);
      if (rows === 1) known = cellsOf(length);
      return false;
    },
    observe({ rows, cells, nanoseconds }: MeasuredPass): void {
      if (nanoseconds <= 0 || !isTypical(rows)) return;
      const size = sizeOf(rows);
      const key = keyOf(size, lengthOf(cells));
      const found = measured.get(key) ?? { samples: 0, fastest: Number.POSITIVE_INFINITY };
      measured.set(key, found);
      add(found, nanoseconds, samplesFor(size));
    },
    /** Measured, or derived from other measured sizes, or assumed. */
    costOf({ rows, cells }: PassSize): number {
      if (rows <= 1) return 1;
      const length = lengthOf(cells);
      const ratio = nearestRatio(sizeOf(rows), length);
      if (ratio !== undefined) return ratio;
      const derived = derive(rows, length);
      return rows === tileRows ? Math.min(derived, assumedTile) : derived;
    },
    /** Whether passes of this size were measured. */
    isMeasured: ({ rows, cells }: PassSize): boolean => ratioOf(sizeOf(rows), lengthOf(cells)) !== undefined,
    /** A draft model has drafted so many tokens. */
    observeDraft({ tokens, nanoseconds }: { readonly tokens: number; readonly nanoseconds: number }): void {
      if (tokens > 0 && nanoseconds > 0) add(drafted, nanoseconds / tokens, samplesOfDraft);
    },
    /** The cost of a token of the draft model. `cells` as for the pass. */
    draftCost(cells: number): number {
      const unit = timeOf(1, lengthOf(cells));
      return unit === undefined || drafted.samples < samplesOfDraft ? assumedDraft : drafted.fastest / unit;
    },
  };
}

export type PassCosts = ReturnType<typeof createPassCosts>;

function add(measurement: Measurement, value: number, maxSamples: number): void {
  if (measurement.samples >= maxSamples) return;
  measurement.samples++;
  measurement.fastest = Math.min(measurement.fastest, value);
}

function sizeOf(rows: number): number {
  return rows <= 1 ? 1 : 2 ** Math.ceil(Math.log2(rows));
}

/** Whether the pass fills most of its size. Others are faster than the size, and would make it look cheap. */
function isTypical(rows: number): boolean {
  return rows > 0.75 * sizeOf(rows);
}

function samplesFor(size: number): number {
  return size === 1 ? samplesOfOne : samplesOfSize;
}

/** The time of a pass grows with the length of the context, so lengths up to twice each other are measured together. */
function lengthOf(cells: number): number {
  return cells < shortContext ? 0 : Math.floor(Math.log2(cells / shortContext)) + 1;
}

/** The numbers of cells with this length, without the end. */
function cellsOf(length: number): { from: number; to: number } {
  return { from: length === 0 ? 0 : shortContext * 2 ** (length - 1), to: shortContext * 2 ** length };
}

// The longest length of any context.
const longest = 32;
// Lengths are asked for from -longest to 2 * longest.
const lengthsPerSize = 4 * longest;

function keyOf(size: number, length: number): number {
  return size * lengthsPerSize + length;
}
