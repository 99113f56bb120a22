// Detects how a model writes tool calls: by the family of its template, or by the way a Go template renders earlier calls.
// There the text before a call and the names of the two keys are found. Templates that render no calls get the defaults.

import { type Effort, EffortExceeded, unlimitedEffort } from '../../base/effort.ts';
import { type BranchNode, type Node, namesIn, visitNodes } from '../go-template/parse/tree.ts';
import type { Template } from '../go-template/template.ts';
import { toCallData } from './render-prompt.ts';
import { recognizeFamily } from './tool-calls/call-families.ts';
import { endTagOf } from './tool-calls/call-grammar.ts';
import { bareLayout, defaultKeys, listLayout, toCallSyntax } from './tool-calls/call-layouts.ts';
import type { CallLayout, CallSyntax } from './tool-calls/call-syntax.ts';

type Keys = Pick<CallSyntax, 'nameKey' | 'argumentsKey'>;

const probe = { name: '@@name@@', arguments: { '@@argument@@': 1 } };
const noTag = '{';

export function callSyntaxOf(template: Template, source: string, effort: Effort = unlimitedEffort): CallSyntax {
  // A family that writes JSON objects is described by the template itself.
  const family = recognizeFamily(source);
  if (family !== undefined && family.layout.form.kind !== 'object') return toCallSyntax(family.layout);
  const branches = branchesOnCalls(template);
  const range = branches.find(({ kind }) => kind === 'range');
  if (range === undefined) return toBareSyntax(defaultKeys);
  const rendered = renderOrEmpty(() =>
    template.renderNodes([range], { ToolCalls: [toCallData(probe, 0)] }, { effort }),
  );
  const outer = branches[0] as BranchNode;
  const tag = leadingText(outer.body).split('{')[0]?.trim() || noTag;
  const found = keysIn(rendered);
  const keys = { ...defaultKeys, ...found };
  return { ...keys, tag, layout: layoutOf(tag, keys, { rendered, isJson: Object.keys(found).length === 2 }) };
}

export function jinjaCallSyntax(jinja: string): CallSyntax {
  const family = recognizeFamily(jinja);
  return family === undefined ? toBareSyntax(defaultKeys) : toCallSyntax(family.layout);
}

function toBareSyntax(keys: Keys): CallSyntax {
  return { ...keys, tag: noTag, layout: bareLayout(keys.nameKey, keys.argumentsKey) };
}

/** `isJson`: the template writes calls as JSON objects. Otherwise nothing is known about their beginning. */
function layoutOf(
  tag: string,
  { nameKey, argumentsKey }: Keys,
  { rendered, isJson }: { readonly rendered: string; readonly isJson: boolean },
): CallLayout {
  const text = withoutBrackets(tag);
  const bare = bareLayout(nameKey, argumentsKey);
  if (text === '') return bare;
  const end = endTagOf(text) ?? '';
  const { form } = bare;
  const list = listLayout(text, end, form);
  // A word of a sentence must not start a call.
  const triggers = isJson && /^[<[`]/.test(text) ? list.triggers : [];
  if (tag.endsWith('[')) return { ...list, triggers };
  const around = { before: `${text}\n`, after: `\n${end}` };
  const none = { open: '', close: '', before: '', after: '' };
  const isPerCall = rendered.includes(text);
  return {
    ...none,
    ...(isPerCall ? around : { open: around.before, close: around.after }),
    between: '\n',
    form,
    triggers,
  };
}

const bracketOrSpace = /[{["'\s]/;

/** A tag without the brackets of the call. */
function withoutBrackets(tag: string): string {
  let end = tag.length;
  while (end > 0 && bracketOrSpace.test(tag[end - 1] as string)) end--;
  return tag.slice(0, end);
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

function keysIn(rendered: string): Partial<Keys> {
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
