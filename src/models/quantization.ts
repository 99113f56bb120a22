// Quantization types with llama.cpp's file type numbers.

const fileTypes = {
  F32: 0,
  F16: 1,
  BF16: 32,
  Q4_0: 2,
  Q4_1: 3,
  Q5_0: 8,
  Q5_1: 9,
  Q8_0: 7,
  Q2_K: 10,
  Q3_K_S: 11,
  Q3_K_M: 12,
  Q3_K_L: 13,
  Q4_K_S: 14,
  Q4_K_M: 15,
  Q5_K_S: 16,
  Q5_K_M: 17,
  Q6_K: 18,
} as const;

export type Quantization = keyof typeof fileTypes;

export const quantizations = Object.keys(fileTypes) as readonly Quantization[];

/** Case-insensitive; `Q4_K` means `Q4_K_M`. Undefined for an unknown type. */
export function parseQuantization(text: string): Quantization | undefined {
  const name = text.toUpperCase().replace(/^(Q[345]_K)$/, '$1_M');
  return quantizations.find((known) => known === name);
}

export function fileTypeOf(quantization: Quantization): number {
  return fileTypes[quantization];
}

/** Only these can be quantized without adding to an earlier loss. */
export function isUnquantized(name: string): boolean {
  return name === 'F32' || name === 'F16' || name === 'BF16';
}
