// Between which tags a model thinks is what its template shows of earlier thoughts.

import type { Template } from '../../go-template/template.ts';
import { type Node, namesIn } from '../../go-template/tree.ts';
import type { ThinkingTags } from './thinking-parser.ts';

export function thinkingTagsOf(template: Template): ThinkingTags | undefined {
  const lists = [template.nodes, ...template.definitions.values()];
  const around = lists.map((nodes) => findAround(nodes, false)).find((found) => found !== undefined);
  if (around === undefined) return undefined;
  const texts = around.filter((node) => node.kind === 'text').map(({ text }) => text.trim());
  const open = texts[0] ?? '';
  const close = texts.length > 1 ? (texts.at(-1) ?? '') : '';
  return open !== '' && close !== '' ? { open, close } : undefined;
}

/** The nodes among which a message's thinking is written, inside a loop over messages. */
function findAround(nodes: readonly Node[], inLoop: boolean): readonly Node[] | undefined {
  for (const node of nodes) {
    if (inLoop && node.kind === 'output' && namesIn(node.pipeline).has('thinking')) return nodes;
    if (!('body' in node)) continue;
    const loops = inLoop || node.kind === 'range';
    const found = findAround(node.body, loops) ?? findAround(node.otherwise, inLoop);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The tags that every thinking model with a Jinja template uses. */
export const usualThinkingTags: ThinkingTags = { open: '<think>', close: '</think>' };

/** An answer from the history without what was thought before it, if that is still in it. */
export function withoutThought(content: string, { open, close }: ThinkingTags): string {
  const start = content.trimStart();
  if (!start.startsWith(open)) return content;
  const end = start.indexOf(close);
  return end === -1 ? content : start.slice(end + close.length).trimStart();
}
