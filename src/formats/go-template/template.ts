// A parsed template: the names in it, and rendering of all or part of it.

import { type Effort, unlimitedEffort } from '../../base/effort.ts';
import { systemClock } from '../../base/time/clock.ts';
import { renderTree } from './evaluator.ts';
import { parseTree } from './parse/parser.ts';
import { type Node, namesIn, type Tree, visitNodes } from './parse/tree.ts';
import { defaultLimits, type TemplateLimits } from './values/limits.ts';
import type { Value } from './values/values.ts';

export interface RenderOptions extends Partial<TemplateLimits> {
  /** The time for date functions, in milliseconds since the epoch. */
  readonly now?: number;
  /** Bounds the work on this thread. */
  readonly effort?: Effort;
}

export interface Template {
  /** The names of all fields and variables, including those in definitions, in lower case. */
  readonly mentions: ReadonlySet<string>;
  readonly nodes: readonly Node[];
  /** The bodies of `define` and `block`, by name. */
  readonly definitions: ReadonlyMap<string, readonly Node[]>;
  render(data: Value, options?: RenderOptions): string;
  /** Renders only these nodes. Variables that are declared elsewhere evaluate to the data. */
  renderNodes(nodes: readonly Node[], data: Value, options?: RenderOptions): string;
  /** The template up to and including the first node that writes `field`. */
  cutAfter(field: string): Template;
}

// The cost of parsing before V8 has optimized the code.
const stepsPerCharacter = 3;

export function parseTemplate(source: string, effort: Effort = unlimitedEffort): Template {
  effort.spend(source.length * stepsPerCharacter);
  return fromTree(completeTree(parseTree(source)));
}

// Like Ollama: a template without messages and response gets the response at its end.
function completeTree(tree: Tree): Tree {
  const mentions = mentionsIn(tree);
  if (mentions.has('messages') || mentions.has('response')) return tree;
  return { ...tree, nodes: [...tree.nodes, ...parseTree('{{ .Response }}').nodes] };
}

function fromTree(tree: Tree): Template {
  const render = (part: Tree, data: Value, options: RenderOptions, isPart: boolean): string => {
    const { now = systemClock.now(), effort = unlimitedEffort, ...limits } = options;
    return renderTree({ tree: part, data, limits: { ...defaultLimits, ...limits }, now, effort, isPart });
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

/** Drops everything after the first node that writes the field, also in the branches that contain it. */
function cutNodes(nodes: readonly Node[], field: string): { readonly nodes: readonly Node[]; readonly found: boolean } {
  for (const [index, node] of nodes.entries()) {
    const cut = cutNode(node, field);
    if (cut !== undefined) return { nodes: [...nodes.slice(0, index), cut], found: true };
  }
  return { nodes, found: false };
}

/** Undefined if the field is not written. A condition on the field does not count. */
function cutNode(node: Node, field: string): Node | undefined {
  if (node.kind === 'output') return namesIn(node.pipeline).has(field) ? node : undefined;
  if (!('body' in node)) return undefined;
  const body = cutNodes(node.body, field);
  if (body.found) return { ...node, body: body.nodes };
  const otherwise = cutNodes(node.otherwise, field);
  return otherwise.found ? { ...node, otherwise: otherwise.nodes } : undefined;
}
