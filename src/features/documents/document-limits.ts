// What a document may need. A document with more is refused, and its process is ended.

export const documentLimits = {
  fileBytes: 32 * 2 ** 20,
  /** The size of a DOCX file without compression. */
  unpackedBytes: 64 * 2 ** 20,
  pages: 2000,
  /** The length of the text, in UTF-16 code units. */
  characters: 8 * 2 ** 20,
  /** Elements of HTML inside one another. */
  depth: 2000,
  milliseconds: 60_000,
  /** JavaScript values of the process. */
  heapMegabytes: 512,
  /** The memory of the process in all. */
  memoryMegabytes: 768,
} as const;
