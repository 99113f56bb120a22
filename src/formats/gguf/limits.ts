// Limits of GGUF headers. Real files stay far below. The limits bound the memory and time that a forged header can
// take.

export const ggufLimits = {
  /** Key-value pairs. Large models have about 60. */
  metadataEntries: 65_536,
  /** Bytes of a key; the format allows 65,535. */
  keyBytes: 65_535,
  /** Bytes of one string. Chat templates reach about 100 KB, licenses about 50 KB. */
  stringBytes: 16 * 2 ** 20,
  /** Entries of one array. Vocabularies reach 300,000. */
  arrayEntries: 4 * 2 ** 20,
  /** Entries of all arrays: a byte in the file can become a value in memory. Vocabularies need about 1.5 million. */
  allArrayEntries: 8 * 2 ** 20,
  /** Tokens of a vocabulary that is compared outside of a runner. They take about 90 MB for a moment. */
  checkedTokens: 2 ** 20,
  /** Their bytes. */
  checkedTokenBytes: 32 * 2 ** 20,
  /** Tensors. Mixture-of-experts models have several thousand. */
  tensors: 131_072,
  /** Dimensions of a tensor, as in ggml. */
  dimensions: 4,
  /** Bytes of the header, metadata and tensor list together. */
  headerBytes: 256 * 2 ** 20,
  /** Files of a split model; the format has 16 bits for the count. */
  splitFiles: 65_535,
} as const;
