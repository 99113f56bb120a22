// Limits of safetensors headers. Real files stay far below. They bound the memory that a forged header can take.

export const safetensorsLimits = {
  /** Bytes of the header. A file of 5 GB has about 100 KB. */
  headerBytes: 32 * 2 ** 20,
  /** Tensors in one file. */
  tensors: 131_072,
  /** Characters of a tensor's name. */
  nameLength: 1024,
  dimensions: 8,
} as const;
