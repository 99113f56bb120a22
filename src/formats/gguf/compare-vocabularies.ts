// Compares the vocabularies of two models. A draft model must mean the same text by a token as the model that verifies
// its drafts. The rules are those of llama.cpp.

import type { Gguf } from './read-gguf.ts';

// Vocabularies of one family are padded differently.
const maxSizeDifference = 128;
// The first tokens are placeholders in some families.
const firstCompared = 5;
const maxShown = 40;

type Headers = Pick<Gguf, 'metadata'>;

/** How they differ; undefined if they fit. Both need their vocabularies: see `maxArray` of `readGguf`. */
export function compareVocabularies(target: Headers, draft: Headers): string | undefined {
  return compareKinds(target, draft) ?? compareTokens(tokensOf(target), tokensOf(draft));
}

const specialTokens = [
  ['bos_token_id', 'the first token of a text'],
  ['eos_token_id', 'the last token of a text'],
] as const;

function compareKinds(target: Headers, draft: Headers): string | undefined {
  const [own, other] = [target, draft].map(({ metadata }) => String(metadata.get('tokenizer.ggml.model') ?? 'none'));
  if (own !== other) return `its tokenizer is "${shown(other)}" instead of "${shown(own)}"`;
  const different = specialTokens.find(([key]) => entryOf(target, key) !== entryOf(draft, key));
  return different === undefined
    ? undefined
    : `${different[1]} is ${shown(entryOf(draft, different[0]))} instead of ${shown(entryOf(target, different[0]))}`;
}

function compareTokens(target: readonly unknown[], draft: readonly unknown[]): string | undefined {
  if (target.length === 0 || draft.length === 0) return 'a vocabulary is missing';
  if (Math.abs(target.length - draft.length) > maxSizeDifference)
    return `it has ${draft.length} tokens instead of ${target.length}`;
  const common = Math.min(target.length, draft.length);
  for (let token = firstCompared; token < common; token++) {
    if (target[token] !== draft[token])
      return `token ${token} is "${shown(draft[token])}" instead of "${shown(target[token])}"`;
  }
  return undefined;
}

function tokensOf({ metadata }: Headers): readonly unknown[] {
  const tokens = metadata.get('tokenizer.ggml.tokens');
  return Array.isArray(tokens) ? tokens : [];
}

function entryOf({ metadata }: Headers, key: string): unknown {
  return metadata.get(`tokenizer.ggml.${key}`);
}

/** Text of a file, for an error message. */
function shown(value: unknown): string {
  const text = value === undefined ? 'none' : String(value);
  return JSON.stringify(text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`).slice(1, -1);
}
