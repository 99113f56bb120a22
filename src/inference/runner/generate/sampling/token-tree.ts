// Which tokens a grammar allows next, without a look at all of them. If a grammar does not allow a text, it does not allow a
// longer text that begins with it. So a token is looked at only if the longest token that it begins with is allowed. Where a
// grammar allows few tokens, that is some hundreds of a hundred thousand.

import type { SamplerPointer } from '../../llama/bindings/pointers.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import type { Candidates } from './candidates.ts';

interface TokenTree {
  /** Tokens that begin with no other token. */
  readonly roots: Int32Array;
  /** The tokens that begin with a token, and with no longer one that does. */
  readonly children: ReadonlyMap<number, Int32Array>;
  /** The tokens that grammars allow after a text, least recently used first. */
  readonly known: Map<string, Int32Array>;
}

/** A grammar after a text that it allows. */
export interface GrammarState {
  readonly mask: SamplerPointer;
  /** The grammar and the text. Requests in the same state share what it allows. Absent if the text is long. */
  readonly key: string | undefined;
}

const trees = new WeakMap<Vocabulary, TokenTree>();
const maxKnown = 256;
// A grammar allows the first choice mostly where it allows many.
const maxKnownTokens = 4096;

/** Looks for the tokens that the grammar allows, in ascending order. `between` is called now and then, and may throw. */
export function allowedTokens(
  vocabulary: Vocabulary,
  candidates: Candidates,
  { mask, key }: GrammarState,
  between: () => void,
): Int32Array {
  const tree = trees.get(vocabulary) ?? buildTree(vocabulary);
  trees.set(vocabulary, tree);
  const allowed = findAllowed(tree, candidates, mask, between);
  if (key === undefined || allowed.length > maxKnownTokens) return allowed;
  tree.known.set(key, allowed);
  const [oldest] = tree.known.keys();
  if (tree.known.size > maxKnown && oldest !== undefined) tree.known.delete(oldest);
  return allowed;
}

/** The tokens that the grammar allows, if another request in the same state has looked for them. */
export function knownTokens(vocabulary: Vocabulary, { key }: GrammarState): Int32Array | undefined {
  const known = trees.get(vocabulary)?.known;
  const tokens = key === undefined ? undefined : known?.get(key);
  if (key === undefined || tokens === undefined) return undefined;
  known?.delete(key);
  known?.set(key, tokens);
  return tokens;
}

function findAllowed(tree: TokenTree, candidates: Candidates, mask: SamplerPointer, between: () => void): Int32Array {
  const allowed: number[] = [];
  let level: Int32Array[] = [tree.roots];
  while (level.length > 0) {
    const next: Int32Array[] = [];
    for (const tokens of level) {
      for (const token of candidates.possible(tokens, mask, between)) {
        allowed.push(token);
        const children = tree.children.get(token);
        if (children !== undefined) next.push(children);
      }
    }
    level = next;
  }
  return Int32Array.from(allowed).sort();
}

function buildTree(vocabulary: Vocabulary): TokenTree {
  const texts = Array.from({ length: vocabulary.size }, (_, token) => vocabulary.pieceOf(token).toString('latin1'));
  const isOrdinary = (token: number): boolean => !vocabulary.isControl(token) && !vocabulary.isEnd(token);
  // The first of several tokens with the same text.
  const tokenOf = new Map<string, number>();
  for (const [token, text] of texts.entries())
    if (text !== '' && isOrdinary(token) && !tokenOf.has(text)) tokenOf.set(text, token);
  const roots: number[] = [];
  const children = new Map<number, number[]>();
  for (const [token, text] of texts.entries()) {
    const parent = isOrdinary(token) ? parentOf(text, tokenOf) : undefined;
    if (parent === undefined) roots.push(token);
    else if (children.has(parent)) children.get(parent)?.push(token);
    else children.set(parent, [token]);
  }
  return {
    roots: Int32Array.from(roots),
    children: new Map(Array.from(children, ([parent, tokens]) => [parent, Int32Array.from(tokens)])),
    known: new Map(),
  };
}

function parentOf(text: string, tokenOf: ReadonlyMap<string, number>): number | undefined {
  for (let length = text.length - 1; length > 0; length--) {
    const parent = tokenOf.get(text.slice(0, length));
    if (parent !== undefined) return parent;
  }
  return undefined;
}

// The end is optional, so that a text without one is read once.
const stringOrClass = /"(?:\\.|[^"\\])*"?|\[(?:\\.|[^\]\\])*\]?/gs;
const beyondAscii = /[^\0-\x7f]|\\x[89a-f]|\\u(?!00[0-7])|\\U(?!000000[0-7])/i;

/**
 * Whether a grammar, which is valid, allows the beginnings of every text that it allows. Two kinds do not: those that name
 * tokens, and those that exclude characters of several bytes. llama.cpp rejects the first bytes of all characters then that
 * begin like an excluded one.
 */
export function allowsBeginnings(grammar: string): boolean {
  const excluding = grammar.match(stringOrClass)?.filter((part) => part.startsWith('[^')) ?? [];
  return !grammar.replace(stringOrClass, '').includes('<') && !excluding.some((part) => beyondAscii.test(part));
}
