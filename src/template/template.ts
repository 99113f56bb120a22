// A parsed template: what it mentions, and how to render it.

import { defaultLimits, type RenderLimits, renderTree } from './evaluator.ts';
import type { Value } from './functions.ts';
import { parseTemplate as parseTree } from './parser.ts';
import { type Node, visitOperands } from './tree.ts';

export interface Template {
  /** The names of all fields and variables in it, in lower case. */
  readonly mentions: ReadonlySet<string>;
  render(data: Value, limits?: RenderLimits): string;
  /** The same template, cut behind the first mention of `field` at its top level or in a branch there. */
  cutAfter(field: string): Template;
}

export function parseTemplate(source: string): Template {
  return fromTree(completeTree(parseTree(source)));
}

// A template that says nothing about the answer has it at its end.
function completeTree(nodes: readonly Node[]): readonly Node[] {
  const mentions = mentionsIn(nodes);
  if (mentions.has('messages') || mentions.has('response')) return nodes;
  return [...nodes, ...parseTree('{{ .Response }}')];
}

function fromTree(nodes: readonly Node[]): Template {
  return {
    mentions: mentionsIn(nodes),
    render: (data, limits = defaultLimits) => renderTree(nodes, data, limits),
    cutAfter: (field) => fromTree(cutTree(nodes, field.toLowerCase()).nodes),
  };
}

function mentionsIn(nodes: readonly Node[]): Set<string> {
  const names = new Set<string>();
  visitOperands(nodes, (operand) => {
    if ('path' in operand) for (const name of operand.path) names.add(name.toLowerCase());
    if (operand.kind === 'variable') names.add(operand.name.toLowerCase());
  });
  return names;
}

/** Drops everything behind the first node that mentions the field, inside the branches that lead to it too. */
function cutTree(nodes: readonly Node[], field: string): { nodes: Node[]; found: boolean } {
  const kept: Node[] = [];
  for (const node of nodes) {
    if (!mentionsIn([node]).has(field)) {
      kept.push(node);
      continue;
    }
    kept.push(cutNode(node, field));
    return { nodes: kept, found: true };
  }
  return { nodes: kept, found: false };
}

function cutNode(node: Node, field: string): Node {
  if (!('body' in node)) return node;
  const body = cutTree(node.body, field);
  const otherwise = body.found ? node.otherwise : cutTree(node.otherwise, field).nodes;
  return { ...node, body: body.nodes, otherwise };
}
