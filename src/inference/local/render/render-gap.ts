// The prompt for a gap in a text: parts of other files, then the texts before and after the gap. The names of control
// tokens in these texts are text: nothing in a file can end its part of the prompt.

import type { GapTokens } from '../../../formats/gguf/gap-tokens.ts';
import type { Lease } from '../../engine/ports.ts';
import type { Gap, GapPrompt } from '../../model/model.ts';

interface GapParts {
  readonly tokens: GapTokens;
  readonly lease: Pick<Lease, 'model' | 'tokenize'>;
}

// Hardly any text near a gap that is further away helps, and editors wait for the answer.
const maxNear = 2048;
// Characters that are tokenized of each text near the gap, and of all other files. The rest cannot fit.
const maxNearText = 32 * maxNear;
const maxFileText = 2 ** 18;
// Tokens between the texts, and those that a tokenizer may add.
const reserved = 8;

export async function renderGap(gap: Gap, { tokens, lease }: GapParts): Promise<GapPrompt> {
  const { contextLength } = lease.model.info;
  const tokenize = (text: string) => lease.tokenize(text, { addSpecial: false, plain: true });
  const texts = fileTexts(gap.files, tokens.file !== undefined);
  const [before, line, after, title, name, ...files] = await Promise.all([
    tokenize(gap.before.slice(-maxNearText)),
    tokenize(gap.line.slice(-maxNearText)),
    tokenize(gap.after.slice(0, maxNearText)),
    tokenize('project\n'),
    tokenize('current\n'),
    ...texts.map(tokenize),
  ]);
  // The token that begins a text, in models that expect one.
  const begin = (await lease.tokenize('', { addSpecial: true })).slice(0, 1);
  const sizes = { contextLength, answerTokens: gap.answerTokens, hasFiles: files.length > 0 };
  const room = planRoom(sizes);
  const start = [...before, ...line].slice(-Math.ceil((room.near * 3) / 4));
  const end = after.slice(0, Math.floor(room.near / 4));
  const others = newestThatFit(files, room.files);
  const mark = (token: number | undefined, text: readonly number[]): readonly number[] =>
    token === undefined ? [] : [token, ...text];
  // A file without a name belongs to a project, too: models have seen the current one after the others.
  const context =
    others.length === 0
      ? []
      : [mark(tokens.project, title), ...others.map((file) => withMark(tokens, file)), mark(tokens.file, name)];
  return {
    tokens: [...begin, ...context.flat(), tokens.before, ...start, tokens.after, ...end, tokens.gap],
    contextLength,
    isCut:
      texts.length < gap.files.length ||
      others.length < files.length ||
      start.length < before.length + line.length ||
      end.length < after.length ||
      [gap.before, gap.line, gap.after].some((text) => text.length > maxNearText),
  };
}

function withMark({ file }: GapTokens, text: readonly number[]): readonly number[] {
  return file === undefined ? text : [file, ...text];
}

/** Models without a token for files get a line between them. */
function fileTexts(files: Gap['files'], hasToken: boolean): string[] {
  const texts = files.map(({ name, text }) => (hasToken ? `${name}\n${text}` : `\n\n--- ${name} ---\n\n${text}`));
  return newestThatFit(texts, maxFileText);
}

/** How many tokens the texts near the gap may have, and the other files. Does not depend on the texts, so that the
 * beginning of the prompt stays the same while a user types. */
export function planRoom({
  contextLength,
  answerTokens,
  hasFiles,
}: {
  readonly contextLength: number;
  readonly answerTokens: number;
  readonly hasFiles: boolean;
}): { readonly near: number; readonly files: number } {
  const answer = Math.min(answerTokens, Math.floor(contextLength / 2));
  const room = Math.max(0, contextLength - answer - reserved);
  const near = Math.min(maxNear, hasFiles ? Math.floor(room / 2) : room);
  return { near, files: room - near };
}

/** The last ones whose lengths together are within the limit. */
export function newestThatFit<Part extends { readonly length: number }>(parts: readonly Part[], limit: number): Part[] {
  let length = 0;
  const first = parts.findLastIndex((part) => {
    length += part.length + 1;
    return length > limit;
  });
  return parts.slice(first + 1);
}
