// How a model writes tool calls, according to its template.

export interface CallSyntax {
  /** The text before a call, such as `<tool_call>`; `{`, `[` or empty if calls have no tag. */
  readonly tag: string;
  readonly nameKey: string;
  readonly argumentsKey: string;
  /** The text after a call, such as `</tool_call>`, if the template has one. */
  readonly endTag?: string;
}
