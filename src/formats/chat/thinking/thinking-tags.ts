// Finds the tags around a model's thinking in its template, which writes the thinking of earlier turns.

import { type Node, namesIn } from '../../go-template/parse/tree.ts';
import type { Template } from '../../go-template/template.ts';
import type { ThinkingTags } from './thinking-parser.ts';

export function thinkingTagsOf(template: Template): ThinkingTags | undefined {
  const lists = [template.nodes, ...template.definitions.values()];
  const siblings = lists.map((nodes) => findSiblings(nodes, false)).find((found) => found !== undefined);
  if (siblings === undefined) return undefined;
  const texts = siblings.filter((node) => node.kind === 'text').map(({ text }) => text.trim());
  const open = texts[0] ?? '';
  const close = texts.length > 1 ? (texts.at(-1) ?? '') : '';
  return open !== '' && close !== '' ? { open, close } : undefined;
}

/** The sibling nodes of the output of a message's thinking, inside a loop over messages. */
function findSiblings(nodes: readonly Node[], inLoop: boolean): readonly Node[] | undefined {
  for (const node of nodes) {
    if (inLoop && node.kind === 'output' && namesIn(node.pipeline).has('thinking')) return nodes;
    if (!('body' in node)) continue;
    const loops = inLoop || node.kind === 'range';
    const found = findSiblings(node.body, loops) ?? findSiblings(node.otherwise, inLoop);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In the order in which they are searched in a Jinja template. `marks`: texts of a template that joins the tags from parts. */
const knownTags: readonly (ThinkingTags & { readonly marks?: readonly string[] })[] = [
  { open: '<|channel|>analysis<|message|>', close: '<|end|>' },
  { open: '<|channel>thought', close: '<channel|>' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '<think:opensource>', close: '</think:opensource>', marks: ['<think{}>', ':opensource'] },
  // Kimi K3 joins its tags from parts, too.
  {
    open: '<|open|>think<|sep|>',
    close: '<|close|>think<|sep|>',
    marks: ['<|open|>', '<|close|>', '<|end_of_msg|>'],
  },
  { open: '<|think|>', close: '<|end|>', marks: ['<|begin|>assistant<|think|>'] },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '<mm:think>', close: '</mm:think>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<think>', close: '</think>' },
];

export function jinjaThinkingTags(source: string): ThinkingTags | undefined {
  const found = knownTags.find(({ open, close, marks = [open, close] }) =>
    marks.every((mark) => source.includes(mark)),
  );
  return found && { open: found.open, close: found.close };
}

/** Removes the thinking from an earlier answer, where a client left it in the content. */
export function stripThinking(content: string, { open, close }: ThinkingTags): string {
  const start = content.trimStart();
  if (!start.startsWith(open)) return content;
  const end = start.indexOf(close);
  return end === -1 ? content : start.slice(end + close.length).trimStart();
}
