// The parts of an answer: thinking, content and tool calls.

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ToolOutput {
  readonly content: string;
  readonly calls: readonly ToolCall[];
}

export interface AnswerParts extends ToolOutput {
  readonly thinking: string;
}

export interface AnswerEnding {
  /** The answer reached the limit of its length. */
  readonly isCut: boolean;
}
