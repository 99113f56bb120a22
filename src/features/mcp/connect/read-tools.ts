// What an MCP server says about its tools, and what they return, within limits.

import type { ServerTool, ToolResult } from '../../../server/services/tools/tool-server.ts';
import { boundText, mcpLimits } from '../limits.ts';

export interface ToolList {
  readonly tools: readonly ServerTool[];
  /** Tools beyond the limits of number and size. */
  readonly leftOut: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Tools with the same name are one: the first. */
export function toToolList(given: readonly unknown[]): ToolList {
  const byName = new Map<string, ServerTool>();
  for (const tool of given) {
    const read = byName.size < mcpLimits.tools ? toTool(tool) : undefined;
    if (read !== undefined && !byName.has(read.name)) byName.set(read.name, read);
  }
  return { tools: [...byName.values()], leftOut: given.length - byName.size };
}

function toTool(given: unknown): ServerTool | undefined {
  const { name, description, inputSchema, annotations } = fieldsOf(given);
  if (typeof name !== 'string' || name === '' || name.length > mcpLimits.nameLength) return undefined;
  const parameters = fieldsOf(inputSchema);
  if (JSON.stringify(parameters).length > mcpLimits.schemaLength) return undefined;
  return {
    name,
    description: typeof description === 'string' ? boundText(description, mcpLimits.descriptionLength) : '',
    parameters,
    isReadOnly: fieldsOf(annotations)['readOnlyHint'] === true || undefined,
  };
}

export function toResult(given: unknown): ToolResult {
  const { content, structuredContent, isError } = fieldsOf(given);
  const blocks = Array.isArray(content) ? content.slice(0, maxBlocks).map((block) => textOf(fieldsOf(block))) : [];
  const structured = blocks.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : '';
  const text = blocks.length === 0 ? structured : blocks.join('\n');
  return { text: cutResult(text), isError: isError === true };
}

const maxBlocks = 1000;

/** Images and sounds are named: most models see texts only. */
function textOf({ type, text, mimeType, data, resource, name, uri }: Fields): string {
  if (typeof text === 'string') return text;
  if (type === 'resource') return textOf(fieldsOf(resource));
  if (type === 'resource_link') return `${stringOf(name)} ${stringOf(uri)}`.trim();
  const size = typeof data === 'string' ? `, ${Math.floor((data.length * 3) / 4)} bytes` : '';
  return `[${boundText(stringOf(mimeType) || stringOf(type) || 'content', 100)}${size}]`;
}

function cutResult(text: string): string {
  const cut = boundText(text, mcpLimits.resultLength);
  return cut.length === text.length ? text : `${cut}\n[${text.length - cut.length} more characters were left out]`;
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
