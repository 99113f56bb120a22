// The prompt of a decoder that ranks: a template of the model's file with {query} and {document}.
//
//   <|im_start|>user\n<Instruct>: …\n<Query>: {query}\n<Document>: {document}<|im_end|>\n…
//
// The template is tokenized in segments. Its special tokens are recognized, those in the texts of a request are not: a
// document must not be able to end its turn and to answer itself.

import { HearthError } from '../../../base/errors.ts';
import type { Segment, Vocabulary } from '../llama/vocabulary.ts';

export interface RankTemplate {
  /** Up to the document. The last segment is not special. */
  readonly before: readonly Segment[];
  readonly after: readonly Segment[];
  /** The instruction of the template itself; empty if it has none. */
  readonly instruction: string;
}

const queryMark = '{query}';
const documentMark = '{document}';
const instructionMark = '{instruction}';
// The name that Qwen's rerankers are trained with.
const instructionLabel = '<Instruct>: ';

export function parseRankTemplate(text: string, vocabulary: Pick<Vocabulary, 'segmentsOf'>): RankTemplate {
  const { marked, instruction } = markInstruction(text);
  const [before, after, ...others] = marked.split(documentMark);
  if (before === undefined || after === undefined || others.length > 0 || !marked.includes(queryMark))
    throw new HearthError('load_failed', `the rerank template must have ${queryMark} and one ${documentMark}`);
  const segments = vocabulary.segmentsOf(before);
  const open = segments.at(-1)?.special === false ? [] : [{ text: '', special: false }];
  return { before: [...segments, ...open], after: vocabulary.segmentsOf(after), instruction };
}

/** A template may have a place for the instruction, or Qwen's label with a fixed one. */
function markInstruction(text: string): { readonly marked: string; readonly instruction: string } {
  const label = text.indexOf(instructionLabel);
  if (text.includes(instructionMark) || label === -1) return { marked: text, instruction: '' };
  const start = label + instructionLabel.length;
  const line = text.indexOf('\n', start);
  const end = line === -1 ? text.length : line;
  return { marked: text.slice(0, start) + instructionMark + text.slice(end), instruction: text.slice(start, end) };
}

export function fillSegments(
  segments: readonly Segment[],
  { query, instruction }: { readonly query: string; readonly instruction: string },
): Segment[] {
  const texts: Readonly<Record<string, string>> = { [queryMark]: query, [instructionMark]: instruction };
  return segments.map(({ text, special }) => ({
    text: special ? text : text.replace(/\{(?:query|instruction)\}/g, (mark) => texts[mark] ?? mark),
    special,
  }));
}
