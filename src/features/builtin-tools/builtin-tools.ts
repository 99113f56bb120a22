// The tools that the settings name, as one server of tools.

import { badConfiguration, HearthError, messageOf } from '../../base/errors.ts';
import type { ServerTool, ToolResult, ToolServer } from '../../server/services/tools/tool-server.ts';
import { type BuiltinTool, maxResultLength } from './builtin-tool.ts';

export class BuiltinTools implements ToolServer {
  readonly name = 'builtin';
  readonly #load: () => Promise<readonly BuiltinTool[]>;
  #tools: Promise<readonly BuiltinTool[]> | undefined;

  /** `load` is called when the tools are first needed. */
  constructor(load: () => Promise<readonly BuiltinTool[]>) {
    this.#load = load;
  }

  async listTools(): Promise<readonly ServerTool[]> {
    const tools = await this.#open();
    return tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      parameters: inputSchema,
      isReadOnly: true,
    }));
  }

  async call(name: string, values: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult> {
    const tool = (await this.#open()).find((each) => each.name === name);
    if (tool === undefined) return { text: `there is no tool ${JSON.stringify(name.slice(0, 100))}`, isError: true };
    try {
      const text = await tool.call(values, signal);
      return { text: text.length > maxResultLength ? `${text.slice(0, maxResultLength)}…` : text, isError: false };
    } catch (error) {
      signal.throwIfAborted();
      // Other errors may have paths of the server.
      return { text: error instanceof HearthError ? messageOf(error) : 'the tool has failed', isError: true };
    }
  }

  #open(): Promise<readonly BuiltinTool[]> {
    this.#tools ??= this.#load();
    return this.#tools;
  }
}

const names = ['fetch', 'search', 'run_javascript'] as const;
type ToolName = (typeof names)[number];

/** Throws `bad_configuration` for settings that name an unknown tool, or a search without an address. */
export function checkNames(given: readonly string[], searxng: string): readonly ToolName[] {
  const unknown = given.find((name) => !(names as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw badConfiguration(`HEARTH_BUILTIN_TOOLS: there is no tool "${unknown}"; there are ${names.join(', ')}`);
  if (given.includes('search') && !/^https?:\/\//.test(searxng))
    throw badConfiguration('HEARTH_BUILTIN_TOOLS: search needs the address of a SearXNG in HEARTH_SEARXNG');
  return given as readonly ToolName[];
}
