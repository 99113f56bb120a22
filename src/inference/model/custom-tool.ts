// Custom tools take a text instead of arguments. The model sees a function with one string.

interface CustomTool {
  /** A JSON schema. */
  readonly parameters: object;
  /** Why the format does not constrain the text. */
  readonly unheld?: string;
}

/** `format` is not checked yet; `inputKey` names the string. */
export type DescribeCustomTool = (format: unknown, inputKey: string) => Promise<CustomTool>;
