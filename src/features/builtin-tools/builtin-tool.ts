// A tool of Hearth itself that models may call. `createBuiltinTools` in builtin-tools.ts makes those that the settings name,
// as one ToolServer with the name `builtin`: who offers the tools of MCP servers to models offers these in the same way,
// with `listTools` and `call`.

export interface BuiltinTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The text for the model. Throws if the tool fails. The schema was not checked: models write anything. */
  call(given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string>;
}

/** Longer results are cut. A model reads about four characters with a token. */
export const maxResultLength = 32_768;
