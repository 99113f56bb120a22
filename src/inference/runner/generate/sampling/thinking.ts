// The thinking at the start of an answer: finds its tags, counts its tokens, and decides which text is forced, because its
// budget is used up or because a format follows it.
//
//   answer = [ blanks open text close ] blanks content

import { undecidedLength } from '../../../../base/text/undecided-length.ts';
import type { ThinkingInput } from '../../../protocol/messages.ts';
import {
  addToken,
  cutBefore,
  keepEnd,
  leadingBlanks,
  noText,
  textOf,
  toBytes,
  type WatchedText,
  type WatchedToken,
} from './watched-text.ts';

interface ThinkingWatch extends WatchedText {
  /** `opening`: the answer may begin with thinking. `content`: it follows, with the watched text. */
  readonly phase: 'opening' | 'thinking' | 'content';
}

// White space at the start of an answer.
const maxStart = 512;
const afterClose = '\n\n';

export class Thinking {
  readonly #tags: ThinkingInput;
  #watch: ThinkingWatch;
  #tokens = 0;
  #forced = '';

  constructor(tags: ThinkingInput) {
    this.#tags = tags;
    this.#watch = { ...noText, phase: tags.begun ? 'thinking' : 'opening' };
  }

  get phase(): ThinkingWatch['phase'] {
    return this.#watch.phase;
  }

  /** The text that may be the opening tag. */
  get text(): WatchedText {
    return this.#watch;
  }

  /** Tokens up to the closing tag. None if the model answers at once. */
  get tokens(): number {
    return this.phase === 'opening' ? 0 : this.#tokens;
  }

  /** The watch after one more token. Nothing changes before `accept`. */
  after(next: WatchedToken): ThinkingWatch {
    return advance(this.#tags, addToken(this.#watch, next));
  }

  /** The token of this watch was chosen. Forces the closing text if the budget is used up, and the blank line before a format. */
  accept(watch: ThinkingWatch, beforeFormat = false): void {
    if (watch.phase === 'content' && this.phase === 'opening') {
      this.skip();
      return;
    }
    this.#tokens++;
    this.#watch = watch;
    if (this.phase === 'content') {
      if (beforeFormat) this.#addBlankLine();
    } else if (this.#tokens >= (this.#tags.budget ?? Number.POSITIVE_INFINITY)) this.#close();
  }

  /** The model does not think. */
  skip(): void {
    this.#tokens = 0;
    this.#watch = { ...noText, phase: 'content' };
  }

  /** No token is possible here: the rest of the opening tag, or the closing text, comes instead. */
  replaceToken(): void {
    this.#tokens++;
    if (this.phase === 'thinking') {
      this.#close();
      return;
    }
    this.#forced = this.#restOfOpen();
    this.#watch = { ...noText, phase: 'thinking' };
  }

  /** Text that comes before the next choice; '' if there is none. */
  takeForced(): string {
    const forced = this.#forced;
    this.#forced = '';
    return forced;
  }

  /** Forces it as far as the model has not written it. */
  #addBlankLine(): void {
    const blank = textOf(this.#watch);
    if (afterClose.startsWith(blank)) this.#forced = afterClose.slice(blank.length);
  }

  #close(): void {
    this.#forced = this.#closing() + afterClose;
    this.#watch = { ...noText, phase: 'content' };
  }

  #closing(): string {
    const { close } = this.#tags;
    if (this.phase === 'opening') return `${this.#restOfOpen()}\n${close}`;
    const text = textOf(this.#watch);
    const begun = undecidedLength(text, toBytes(close));
    return begun > 0 ? close.slice(begun) : `${text.endsWith('\n') ? '' : '\n'}${close}`;
  }

  #restOfOpen(): string {
    return this.#tags.open.slice(textOf(this.#watch).replace(leadingBlanks, '').length);
  }
}

function advance({ open: openTag, close: closeTag }: ThinkingInput, watch: ThinkingWatch): ThinkingWatch {
  if (watch.phase === 'content') return watch;
  if (watch.phase === 'opening') {
    const open = toBytes(openTag);
    const start = textOf(watch).replace(leadingBlanks, '');
    if (!start.startsWith(open)) {
      const isOpen = open.startsWith(start) && textOf(watch).length < maxStart;
      return isOpen ? watch : { ...watch, phase: 'content' };
    }
  }
  const close = toBytes(closeTag);
  const at = textOf(watch).indexOf(close);
  if (at === -1) return keepEnd({ ...watch, phase: 'thinking' }, close.length);
  return { phase: 'content', ...cutBefore(watch, watch.skipped + at + close.length) };
}
