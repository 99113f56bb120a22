// How a model's template writes a call.

export interface ToolFormat {
  /** What stands before a call, such as `<tool_call>`; `{`, `[` or nothing where calls are bare. */
  readonly tag: string;
  readonly nameKey: string;
  readonly argumentsKey: string;
  /** What ends a call, such as `</tool_call>`, if the template shows one. */
  readonly endTag?: string;
}
