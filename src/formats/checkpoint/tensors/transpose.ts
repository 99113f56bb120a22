// Swaps rows and columns of a matrix.

interface MatrixLayout {
  readonly rows: number;
  /** Values of a row. */
  readonly width: number;
  /** Bytes of a value. */
  readonly size: number;
  /** The columns of the source that become rows; undefined for all. */
  readonly columns: readonly number[] | undefined;
}

export function transposeMatrix(bytes: Buffer, { rows, width, size, columns }: MatrixLayout): Buffer {
  const count = columns?.length ?? width;
  // Typed arrays need an aligned buffer of their own. Values of 8 bytes are copied as pairs.
  const Values = size === 2 ? Uint16Array : Uint32Array;
  const words = size / Values.BYTES_PER_ELEMENT;
  const from = new Values(new Uint8Array(bytes).buffer);
  const to = new Values(count * rows * words);
  for (let index = 0; index < count; index++) {
    const column = columns?.[index] ?? index;
    for (let row = 0; row < rows; row++)
      for (let word = 0; word < words; word++)
        to[(index * rows + row) * words + word] = from[(row * width + column) * words + word] as number;
  }
  return Buffer.from(to.buffer);
}
