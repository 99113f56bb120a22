// Calls of Glimmer: elements in the name space "atem", in a message to the tool.

import type { Tool } from '../message.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';
import { readArgument } from './typed-value.ts';

export const atemTags = { open: '<atem:function_calls>', close: '</atem:function_calls>' } as const;

const block = new RegExp(`^${atemTags.open}\\s*<atem:invoke\\s?name="(.*)</atem:invoke>\\s*${atemTags.close}$`, 's');
// The tag of a message can be in the name, also instead of its end.
const callName = /^(.*?)(?:">|<\|message\|>(?=<atem:parameter name="))/s;
const parameter = /<atem:parameter name="(.*?)">(.*?)<\/atem:parameter>\s*/sy;

/** Undefined if the text is anything else than the call of a tool. */
export function readAtemCall(text: string, tools: readonly Tool[]): ToolCall | undefined {
  const invocation = block.exec(text.trim())?.[1] ?? '';
  const [head = '', written = ''] = callName.exec(invocation) ?? [];
  const tool = findAtemTool(written.replaceAll('<|message|>', ''), tools);
  if (tool === undefined) return undefined;
  const values: [string, unknown][] = [];
  const elements = invocation.slice(head.length).trimStart();
  parameter.lastIndex = 0;
  let end = 0;
  for (let found = parameter.exec(elements); found !== null; found = parameter.exec(elements)) {
    const [, name = '', value = ''] = found;
    values.push([name, readArgument(value, tool.parameters, name)]);
    end = parameter.lastIndex;
  }
  if (elements.slice(end).trim() !== '') return undefined;
  return { name: tool.name, arguments: Object.fromEntries(values) };
}

/** By its name, or by its name in its name space: the space of a tool without one is its name. */
export function findAtemTool(name: string, tools: readonly Tool[]): Tool | undefined {
  const [space = '', ...rest] = name.split('.');
  const short = rest.join('.');
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => tool.name === short && short.split('.')[0] === space)
  );
}
