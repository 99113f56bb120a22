// Detects how a model writes tool calls from the way its template renders earlier ones: the text before a call and the
// names of the two keys. Templates that render no calls get the defaults.

import { type Effort, EffortExceeded, unlimitedEffort } from '../../base/effort.ts';
import type { Template } from '../go-template/template.ts';
import { type BranchNode, type Node, namesIn, visitNodes } from '../go-template/tree.ts';
import { toCallData } from './template-data.ts';
import type { CallSyntax } from './tool-calls/call-syntax.ts';

const defaults = { tag: '{', nameKey: 'name', argumentsKey: 'arguments' } as const satisfies CallSyntax;
const probe = { name: '@@name@@', arguments: { '@@argument@@': 1 } };

export function callSyntaxOf(template: Template, effort: Effort = unlimitedEffort): CallSyntax {
  const branches = branchesOnCalls(template);
  const range = branches.find(({ kind }) => kind === 'range');
  if (range === undefined) return defaults;
  const rendered = renderOrEmpty(() =>
    template.renderNodes([range], { ToolCalls: [toCallData(probe, 0)] }, { effort }),
  );
  const outer = branches[0] as BranchNode;
  const tag = leadingText(outer.body).split('{')[0]?.trim() || defaults.tag;
  return { ...defaults, ...keysIn(rendered), tag };
}

/** For Jinja only the tag is searched. The tool call parser accepts the common key names anyway. */
export function jinjaCallSyntax(jinja: string): CallSyntax {
  const tag = ['<tool_call>', '[TOOL_CALLS]', '<|python_tag|>', '<|tool_call|>'].find((text) => jinja.includes(text));
  return { ...defaults, ...(tag === undefined ? {} : { tag }) };
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

/** The first text in a branch, at any depth. */
function leadingText(nodes: readonly Node[]): string {
  let text = '';
  visitNodes(nodes, (node) => {
    if (text === '' && node.kind === 'text') text = node.text.trim();
    return text === '';
  });
  return text;
}

// A part of a template may fail without the parts before it. Then the defaults apply.
function renderOrEmpty(render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (error instanceof EffortExceeded) throw error;
    return '';
  }
}

function keysIn(rendered: string): Partial<CallSyntax> {
  const start = rendered.indexOf('{');
  const end = rendered.lastIndexOf('}');
  if (start === -1) return {};
  try {
    const value: unknown = JSON.parse(rendered.slice(start, end + 1));
    const entries = Object.entries(value as Record<string, unknown>);
    const nameKey = entries.find(([, entry]) => entry === probe.name)?.[0];
    const argumentsKey = entries.find(([, entry]) => typeof entry === 'object' && entry !== null)?.[0];
    return { ...(nameKey ? { nameKey } : {}), ...(argumentsKey ? { argumentsKey } : {}) };
  } catch {
    return {};
  }
}
