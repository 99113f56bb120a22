// A parsed template: what it mentions, how to render it, or a part of it.

import { systemClock } from '../../base/time/clock.ts';
import { renderTree } from './evaluator.ts';
import { defaultLimits, type RenderLimits } from './limits.ts';
import { parseTree } from './parse/parser.ts';
import { type Node, namesIn, type Tree, visitNodes } from './tree.ts';
import type { Value } from './values.ts';

export interface RenderOptions extends Partial<RenderLimits> {
  /** The moment that dates in the template speak of, in milliseconds since the epoch. */
  readonly now?: number;
}

export interface Template {
  /** The names of all fields and variables in it and in what it defines, in lower case. */
  readonly mentions: ReadonlySet<string>;
  readonly nodes: readonly Node[];
  /** The bodies of `define` and `block`, by name. */
  readonly definitions: ReadonlyMap<string, readonly Node[]>;
  render(data: Value, options?: RenderOptions): string;
  /** Some of its nodes alone. Variables that are declared elsewhere in it stand for the data. */
  renderNodes(nodes: readonly Node[], data: Value, options?: RenderOptions): string;
  /** The same template, cut behind the first place that writes `field`. */
  cutAfter(field: string): Template;
}

export function parseTemplate(source: string): Template {
  return fromTree(completeTree(parseTree(source)));
}

// A template that says nothing about the answer has it at its end.
function completeTree(tree: Tree): Tree {
  const mentions = mentionsIn(tree);
  if (mentions.has('messages') || mentions.has('response')) return tree;
  return { ...tree, nodes: [...tree.nodes, ...parseTree('{{ .Response }}').nodes] };
}

function fromTree(tree: Tree): Template {
  const render = (part: Tree, data: Value, options: RenderOptions, isPart: boolean): string => {
    const { now = systemClock.now(), ...limits } = options;
    return renderTree({ tree: part, data, limits: { ...defaultLimits, ...limits }, now, isPart });
  };
  return {
    ...tree,
    mentions: mentionsIn(tree),
    render: (data, options = {}) => render(tree, data, options, false),
    renderNodes: (nodes, data, options = {}) => render({ ...tree, nodes }, data, options, true),
    cutAfter: (field) => fromTree({ ...tree, nodes: cutNodes(tree.nodes, field.toLowerCase()).nodes }),
  };
}

function mentionsIn({ nodes, definitions }: Tree): Set<string> {
  const names = new Set<string>();
  for (const list of [nodes, ...definitions.values()]) {
    visitNodes(list, (node) => {
      if (!('pipeline' in node) || node.pipeline === undefined) return true;
      for (const name of namesIn(node.pipeline)) names.add(name);
      return true;
    });
  }
  return names;
}

interface Cut {
  readonly nodes: readonly Node[];
  readonly found: boolean;
}

/** Drops everything behind the first node that writes the field, inside the branches that lead to it too. */
function cutNodes(nodes: readonly Node[], field: string): Cut {
  for (const [index, node] of nodes.entries()) {
    const cut = cutNode(node, field);
    if (cut !== undefined) return { nodes: [...nodes.slice(0, index), cut], found: true };
  }
  return { nodes, found: false };
}

/** Undefined where the field is not written. A branch that only asks for it goes on. */
function cutNode(node: Node, field: string): Node | undefined {
  if (node.kind === 'output') return namesIn(node.pipeline).has(field) ? node : undefined;
  if (!('body' in node)) return undefined;
  const body = cutNodes(node.body, field);
  if (body.found) return { ...node, body: body.nodes };
  const otherwise = cutNodes(node.otherwise, field);
  return otherwise.found ? { ...node, otherwise: otherwise.nodes } : undefined;
}
