// How a model writes a call is what its template shows of earlier ones: the text before a call, and the names of the
// two keys. Templates that show nothing leave the usual names.

import type { Template } from '../go-template/template.ts';
import { type BranchNode, type Node, namesIn, visitNodes } from '../go-template/tree.ts';
import { toCallData } from './template-data.ts';
import type { ToolFormat } from './tool-calls/tool-format.ts';

const usual = { tag: '{', nameKey: 'name', argumentsKey: 'arguments' } as const satisfies ToolFormat;
const probe = { name: '@@name@@', arguments: { '@@argument@@': 1 } };

export function toolFormatOf(template: Template): ToolFormat {
  const branches = branchesOnCalls(template);
  const range = branches.find(({ kind }) => kind === 'range');
  if (range === undefined) return usual;
  const shown = renderOr(template, [range], { ToolCalls: [toCallData(probe, 0)] });
  const outer = branches[0] as BranchNode;
  const tag = leadingText(outer.body).split('{')[0]?.trim() || usual.tag;
  return { ...usual, ...keysIn(shown), tag };
}

/** The same for Jinja, whose text shows the tag if there is one; the rest is found in any of the usual forms. */
export function guessToolFormat(jinja: string): ToolFormat {
  const tag = ['<tool_call>', '[TOOL_CALLS]', '<|python_tag|>', '<|tool_call|>'].find((text) => jinja.includes(text));
  return { ...usual, ...(tag === undefined ? {} : { tag }) };
}

function branchesOnCalls(template: Template): BranchNode[] {
  const found: BranchNode[] = [];
  for (const nodes of [template.nodes, ...template.definitions.values()]) {
    visitNodes(nodes, (node) => {
      if ('body' in node && node.kind !== 'with' && namesIn(node.pipeline).has('toolcalls')) found.push(node);
      return true;
    });
  }
  return found;
}

/** The first words in a branch, wherever in it they stand. */
function leadingText(nodes: readonly Node[]): string {
  let text = '';
  visitNodes(nodes, (node) => {
    if (text === '' && node.kind === 'text') text = node.text.trim();
    return text === '';
  });
  return text;
}

// A part of a template by itself may miss what stands before it; then nothing is learned from it.
function renderOr(template: Template, nodes: readonly Node[], data: Parameters<Template['renderNodes']>[1]): string {
  try {
    return template.renderNodes(nodes, data);
  } catch {
    return '';
  }
}

function keysIn(shown: string): Partial<ToolFormat> {
  const start = shown.indexOf('{');
  const end = shown.lastIndexOf('}');
  if (start === -1) return {};
  try {
    const value: unknown = JSON.parse(shown.slice(start, end + 1));
    const entries = Object.entries(value as Record<string, unknown>);
    const nameKey = entries.find(([, entry]) => entry === probe.name)?.[0];
    const argumentsKey = entries.find(([, entry]) => typeof entry === 'object' && entry !== null)?.[0];
    return { ...(nameKey ? { nameKey } : {}), ...(argumentsKey ? { argumentsKey } : {}) };
  } catch {
    return {};
  }
}
