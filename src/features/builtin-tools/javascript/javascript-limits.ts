// What a program of a model may use. The process enforces the first limits itself, and the server the others.

export const javascriptLimits = {
  codeLength: 65_536,
  memoryBytes: 32 * 2 ** 20,
  stackBytes: 256 * 2 ** 10,
  milliseconds: 5000,
  outputLength: 32_768,
  /** With the start of the process. */
  processMilliseconds: 15_000,
  heapMegabytes: 256,
  parallel: 2,
};

/** Each character may take six bytes as JSON. */
export const maxJavascriptBytes = 8 * javascriptLimits.outputLength;

export interface JavascriptMessage {
  readonly output: string;
  /** Absent: the program has ended by itself. */
  readonly error?: string;
}
