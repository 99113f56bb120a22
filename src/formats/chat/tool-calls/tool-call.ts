// An answer after its tool calls were found: content and calls.

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ToolOutput {
  readonly content: string;
  readonly calls: readonly ToolCall[];
}
