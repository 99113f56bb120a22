// What a GGUF file may claim before it is refused. Real files stay far below; the bounds are there so that a
// forged header cannot make us allocate or loop without end.

export const limits = {
  /** Key-value pairs. Large models have about 60. */
  metadataEntries: 65_536,
  /** Bytes of a key; the format itself says 65,535. */
  keyBytes: 65_535,
  /** Bytes of one string. Chat templates reach some 100 KB, licences some 50 KB. */
  stringBytes: 16 * 2 ** 20,
  /** Entries of one array. Vocabularies reach 300,000. */
  arrayEntries: 4 * 2 ** 20,
  /** Entries of all arrays together: a byte in the file can be a whole value in memory. Vocabularies need some 1.5 million. */
  allArrayEntries: 8 * 2 ** 20,
  /** Tensors. Mixtures of experts reach some thousands. */
  tensors: 131_072,
  /** Dimensions of a tensor, as in ggml. */
  dimensions: 4,
  /** Bytes that header, metadata and tensor list may take together. */
  headerBytes: 256 * 2 ** 20,
  /** Files of a model that comes in several; the format has 16 bits for the count. */
  splitFiles: 65_535,
} as const;
