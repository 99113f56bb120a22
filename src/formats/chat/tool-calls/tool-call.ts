// What an answer is made of once its tool calls have been found: content and calls.

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ToolOutput {
  readonly content: string;
  readonly calls: readonly ToolCall[];
}
