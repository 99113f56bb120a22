export interface ApiExample {
  /** Values for the open parts of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The name of a file whose bytes are the body. */
  readonly file?: string;
}

export const apiExamples: Readonly<Record<string, ApiExample>>;
