// An importance matrix in the form of llama.cpp: structs with a name, values and their number, until one without a name.

import koffi from 'koffi';

interface Values {
  readonly name: string;
  readonly values: Float32Array;
}

const structWords = 3;

/** The names follow the structs. The values are not copied: `entries` must live as long as the result is used. */
export function packImatrix(entries: readonly Values[]): BigUint64Array {
  const names = entries.map(({ name }) => Buffer.from(`${name}\0`));
  const words = structWords * (entries.length + 1);
  let offset = words * BigUint64Array.BYTES_PER_ELEMENT;
  const size = names.reduce((sum, name) => sum + name.length, offset);
  const packed = new BigUint64Array(Math.ceil(size / BigUint64Array.BYTES_PER_ELEMENT));
  const bytes = Buffer.from(packed.buffer);
  for (const [index, { values }] of entries.entries()) {
    const name = names[index] as Buffer;
    packed.set(
      [koffi.address(packed) + BigInt(offset), koffi.address(values), BigInt(values.length)],
      structWords * index,
    );
    offset += name.copy(bytes, offset);
  }
  return packed;
}
