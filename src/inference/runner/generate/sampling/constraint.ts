// Constrains the choices of one request: a grammar for the whole answer, for what follows the thinking, or from a trigger
// on.

import { HearthError } from '../../../../base/errors.ts';
import type { GenerationInput, LazyGrammar } from '../../../protocol/messages.ts';
import type { SamplerPointer } from '../../llama/bindings/pointers.ts';
import { createTimeCheck, lateError } from './choice-time.ts';
import type { Choices, SamplerSources } from './choices.ts';
import type { Thinking } from './thinking.ts';
import { allowsBeginnings } from './token-tree.ts';
import { advanceWatch, skipBlanks, startWatch, type Triggered, type Watch } from './trigger-watch.ts';
import { noText, type WatchedText, type WatchedToken } from './watched-text.ts';

export interface ConstraintInput extends Pick<GenerationInput, 'grammar' | 'lazyGrammar'> {
  readonly thinking?: Thinking | undefined;
}

// Tokens that are tried where a grammar starts. Mostly the first one fits.
const maxAttempts = 16;
// Answers hardly ever begin with the same longer text.
const maxSharedText = 1024;

export class Constraint {
  readonly #sources: SamplerSources;
  readonly #choices: Choices;
  readonly #lazy: LazyGrammar | undefined;
  readonly #thinking: Thinking | undefined;
  /** The grammar of the content, until the content begins. */
  #format: { readonly text: string; readonly mask: SamplerPointer } | undefined;
  #mask: SamplerPointer | undefined;
  /** The grammar of the mask, and the beginning of what it has accepted. */
  #key = '';
  #acceptedLength = 0;
  readonly #allowsBeginnings: boolean;
  #watch: Watch | undefined;

  constructor(sources: SamplerSources, choices: Choices, { grammar, lazyGrammar, thinking }: ConstraintInput) {
    this.#sources = sources;
    this.#choices = choices;
    this.#lazy = lazyGrammar;
    this.#thinking = thinking;
    this.#allowsBeginnings = [grammar, lazyGrammar?.grammar].every(
      (text) => text === undefined || allowsBeginnings(text),
    );
    if (grammar !== undefined) this.#format = { text: grammar, mask: this.#parse(grammar, 'root') };
    if (thinking === undefined) this.#startContent(noText);
  }

  /** The grammar that applies now. */
  get mask(): SamplerPointer | undefined {
    return this.#mask;
  }

  /** Undefined: no token, because the thinking has forced text. */
  choose(row: number): number | undefined {
    if (this.#mask !== undefined) return this.#chooseByGrammar(row, this.#mask);
    if (this.#thinking !== undefined && this.#thinking.phase !== 'content')
      return this.#chooseThinking(row, this.#thinking);
    if (this.#lazy !== undefined && this.#watch !== undefined) return this.#chooseWatched(row, this.#lazy, this.#watch);
    return this.#choices.choose(row).token;
  }

  free(): void {
    for (const mask of [this.#mask, this.#format?.mask]) if (mask !== undefined) this.#sources.api.samplerFree(mask);
  }

  // Looking for all tokens that the grammar allows is slow, and it mostly allows the first choice. So only that one is
  // checked, and the others if it is rejected. What was chosen ahead was also checked there.
  #chooseByGrammar(row: number, mask: SamplerPointer): number {
    const { token: first, verdict } = this.#choices.choose(row);
    if (verdict === 'late') throw lateError();
    if (verdict === 'accepted') {
      this.#note(first);
      return first;
    }
    const { check } = createTimeCheck(this.#sources.clock);
    const fits = verdict === 'untested' && this.#allows(mask, first);
    const token = fits ? first : this.#chooseMasked(row, mask);
    this.#accept(mask, token);
    check();
    return token;
  }

  #chooseMasked(row: number, mask: SamplerPointer): number {
    const key = this.#acceptedLength > maxSharedText ? undefined : this.#key;
    const { check } = createTimeCheck(this.#sources.clock);
    return this.#choices.chooseMasked(row, { mask, key, allowsBeginnings: this.#allowsBeginnings }, check);
  }

  // A token can complete a trigger or a tag and have more text, which must fit the grammar, too. Otherwise another token is
  // chosen.
  #chooseFitting(row: number, take: (token: number, isLast: boolean) => boolean): number {
    const logits = this.#sources.context.logits(row);
    for (let attempt = 1; ; attempt++) {
      const { token } = this.#choices.choose(row);
      const isLast = attempt === maxAttempts;
      if (take(token, isLast) || isLast) return token;
      logits[token] = Number.NEGATIVE_INFINITY;
    }
  }

  #chooseWatched(row: number, lazy: LazyGrammar, watch: Watch): number {
    return this.#chooseFitting(row, (token) => this.#follow(lazy, advanceWatch(lazy, watch, this.#toWatched(token))));
  }

  #chooseThinking(row: number, thinking: Thinking): number | undefined {
    return this.#format === undefined
      ? this.#chooseFitting(row, (token, isLast) => this.#takeThought(thinking, token, isLast))
      : this.#chooseBeforeFormat(row, thinking);
  }

  #chooseBeforeFormat(row: number, thinking: Thinking): number | undefined {
    const { token } = this.#choices.choose(row);
    if (!this.#sources.vocabulary.isEnd(token) && this.#takeThought(thinking, token)) return token;
    if (thinking.phase === 'opening' && this.#startContent(thinking.text) && this.#mask !== undefined) {
      thinking.skip();
      return this.#chooseByGrammar(row, this.#mask);
    }
    thinking.replaceToken();
    if (thinking.phase === 'content') this.#startContent(noText);
    return undefined;
  }

  /** False if the content begins with the token and does not fit its constraint, unless it is taken in any case. */
  #takeThought(thinking: Thinking, token: number, inAnyCase = false): boolean {
    const beforeFormat = this.#format !== undefined;
    const next = thinking.after(this.#toWatched(token));
    if (next.phase === 'content' && !this.#startContent(next) && !inAnyCase) return false;
    thinking.accept(next, beforeFormat);
    // The budget is used up.
    if (next.phase !== 'content' && thinking.phase === 'content') this.#startContent(noText);
    return true;
  }

  /** Constrains the content, which begins with this text. False if the constraint does not allow it. */
  #startContent(text: WatchedText): boolean {
    if (this.#format === undefined)
      return this.#lazy === undefined || this.#follow(this.#lazy, startWatch(this.#lazy, text));
    const begun = skipBlanks(text);
    const { mask } = this.#format;
    this.#begin(this.#format.text);
    this.#mask = begun.tokens.length === 0 ? mask : this.#startGrammar(this.#format.text, begun);
    if (this.#mask === undefined) return false;
    if (this.#mask !== mask) this.#sources.api.samplerFree(mask);
    this.#format = undefined;
    return true;
  }

  /** False if the lazy grammar begins and does not allow the tokens so far. */
  #follow(lazy: LazyGrammar, next: Watch | Triggered): boolean {
    const isWatch = 'phase' in next;
    this.#watch = isWatch ? next : undefined;
    if (!isWatch) this.#mask = this.#startGrammar(lazy.grammar, next);
    return isWatch || this.#mask !== undefined;
  }

  /** The grammar after these tokens; undefined if they do not fit it. */
  #startGrammar(text: string, { before, tokens }: Triggered): SamplerPointer | undefined {
    const prefixed = withPrefix(text, before);
    const mask = this.#parse(prefixed, prefixedRoot);
    this.#begin(prefixed);
    for (const token of tokens) {
      if (!this.#allows(mask, token)) {
        this.#sources.api.samplerFree(mask);
        return undefined;
      }
      this.#accept(mask, token);
    }
    return mask;
  }

  #begin(grammar: string): void {
    this.#key = `${grammar}\0`;
    this.#acceptedLength = 0;
  }

  #accept(mask: SamplerPointer, token: number): void {
    this.#sources.api.samplerAccept(mask, token);
    this.#note(token);
  }

  /** The grammar has accepted the token. */
  #note(token: number): void {
    const piece = this.#sources.vocabulary.pieceOf(token);
    this.#acceptedLength += piece.length;
    if (this.#acceptedLength <= maxSharedText) this.#key += piece.toString('latin1');
  }

  /** Whether the grammar allows the token now. */
  #allows(mask: SamplerPointer, token: number): boolean {
    const { candidates } = this.#sources;
    candidates.fillOne(token);
    candidates.apply(mask);
    return candidates.firstPossible();
  }

  #parse(text: string, root: string): SamplerPointer {
    const { api, vocabulary } = this.#sources;
    const mask = api.samplerGrammar(vocabulary.pointer, text, root);
    if (mask === null) throw new HearthError('bad_request', 'the grammar cannot be parsed');
    return mask;
  }

  #toWatched(token: number): WatchedToken {
    return { token, text: this.#sources.vocabulary.pieceOf(token).toString('latin1') };
  }
}

const prefixedRoot = 'prefixed-root';

/** A grammar for the same texts after a prefix, whose bytes are in latin1. */
function withPrefix(grammar: string, prefix: string): string {
  const points = Array.from(Buffer.from(prefix, 'latin1').toString('utf8'), (character) =>
    (character.codePointAt(0) as number).toString(16).padStart(8, '0'),
  );
  return `${grammar}\n${prefixedRoot} ::= "${points.map((hex) => `\\U${hex}`).join('')}" root\n`;
}
