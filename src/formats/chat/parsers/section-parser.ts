// Reads answers that consist of sections between tags: thinking, content and calls. Most families are a table of sections.
//
// White space around tags and at the end of the answer is no part of a section, except where a table says so. Each
// character is read once, so the result does not depend on how the answer is cut.

import { createLiteralMatcher, type LiteralMatcher, partial } from '../tool-calls/literal-matcher.ts';
import type { AnswerEnding, AnswerParts, ToolCall } from '../tool-calls/tool-call.ts';
import type { AnswerParser } from './answer-parser.ts';

export interface Section {
  /** `call-name`: the text and the tag after it begin the call of the next section. */
  readonly kind: 'thinking' | 'content' | 'call-name' | 'call' | 'ignored';
  /** The section after each tag that ends this one. */
  readonly exits: Readonly<Record<string, string | SectionExit>>;
  /** White space at the end of the answer is content. */
  readonly keepsEnd?: true;
  /** The section after a JSON object or list that ends this one. */
  readonly afterJson?: string;
}

interface SectionExit {
  readonly to: string;
  /** On which sides of the tag white space is content. */
  readonly keeps: 'before' | 'after' | 'both';
}

interface SectionFormat {
  readonly sections: Readonly<Record<string, Section>>;
  readonly start: SectionStart;
  /** The calls in the text of a section; undefined if there are none, then the text is content. `isClosed`: not at the end
   * of the answer. */
  readonly readCalls: (text: string, isClosed: boolean) => readonly ToolCall[] | undefined;
}

/** The first section, which can depend on a tag at the start of the answer. */
type SectionStart = string | { readonly tag: string; readonly found: string; readonly otherwise: string };

export class SectionParser implements AnswerParser {
  readonly #format: SectionFormat;
  readonly #tags: ReadonlyMap<string, LiteralMatcher>;
  #undecidedStart: Exclude<SectionStart, string> | undefined;
  #current: string;
  #rest = '';
  /** White space that is content only if text follows. */
  #blank = '';
  #isAfterTag = false;
  /** The tag and text of the current call. */
  #opening = '';
  #body: string[] = [];
  #json = new JsonEnd();
  #output = { thinking: '', content: '', calls: [] as ToolCall[] };

  constructor(format: SectionFormat) {
    const { sections, start } = format;
    this.#format = format;
    this.#tags = new Map(
      Object.entries(sections).map(([name, { exits }]) => [name, createLiteralMatcher(Object.keys(exits))]),
    );
    this.#undecidedStart = typeof start === 'string' ? undefined : start;
    this.#current = typeof start === 'string' ? start : start.otherwise;
  }

  push(text: string): AnswerParts {
    this.#rest = this.#advance(this.#rest === '' ? this.#withoutBlank(text) : this.#rest + text, false);
    return this.#take();
  }

  finish({ isCut }: AnswerEnding): AnswerParts {
    this.#rest = this.#advance(this.#rest, true);
    const { kind, keepsEnd } = this.#section();
    if (kind === 'call' && !isCut) this.#endCall('', false);
    if (keepsEnd) this.#writeBlank();
    return this.#take();
  }

  #section(): Section {
    return this.#format.sections[this.#current] as Section;
  }

  /** White space before the tag at the start is kept apart, so that it is not read again and again. */
  #withoutBlank(text: string): string {
    if (this.#undecidedStart === undefined) return text;
    const solid = text.trimStart();
    this.#blank += text.slice(0, text.length - solid.length);
    return solid;
  }

  #advance(text: string, ended: boolean): string {
    const start = this.#readStart(text, ended);
    if (start === undefined) return text;
    let at = start;
    while (at < text.length) {
      const { exits, afterJson } = this.#section();
      if (afterJson !== undefined) {
        at = this.#readJson(text, at, afterJson);
        continue;
      }
      const tags = this.#tags.get(this.#current);
      const next = tags?.find(text, at, ended) ?? text.length;
      this.#write(text.slice(at, next));
      const tag = tags?.match(text, next, ended);
      if (tag === undefined || tag === partial) return text.slice(next);
      this.#leave(exits[tag] as string | SectionExit, tag);
      at = next + tag.length;
    }
    return '';
  }

  /** Where the text goes on after the part of a call that ends with JSON. */
  #readJson(text: string, from: number, next: string): number {
    const end = this.#json.read(text, from);
    this.#body.push(text.slice(from, end));
    if (!this.#json.isComplete) return end;
    this.#leave({ to: next, keeps: 'after' }, '');
    return end;
  }

  #leave(exit: string | SectionExit, tag: string): void {
    const { to, keeps } = typeof exit === 'string' ? { to: exit, keeps: undefined } : exit;
    if (keeps === 'before' || keeps === 'both') this.#writeBlank();
    const { kind } = this.#section();
    if (kind === 'call') this.#endCall(tag, true);
    if (kind === 'call-name') this.#body.push(tag);
    this.#enter(to, tag);
    if (keeps === 'after' || keeps === 'both') this.#isAfterTag = false;
  }

  /** Where the text goes on after the tag at the start; undefined if more text is needed. */
  #readStart(text: string, ended: boolean): number | undefined {
    if (this.#undecidedStart === undefined) return 0;
    const { tag, found } = this.#undecidedStart;
    const hasTag = text.startsWith(tag);
    if (!hasTag && tag.startsWith(text) && !ended) return undefined;
    this.#undecidedStart = undefined;
    if (hasTag) this.#enter(found, tag);
    return hasTag ? tag.length : 0;
  }

  #enter(section: string, tag: string): void {
    this.#current = section;
    this.#blank = '';
    this.#isAfterTag = true;
    this.#opening = tag;
    this.#json = new JsonEnd();
  }

  #write(text: string): void {
    const { kind } = this.#section();
    if (kind === 'call' || kind === 'call-name') this.#body.push(text);
    else if (kind !== 'ignored') this.#writeText(text, kind);
  }

  #writeBlank(): void {
    const { kind } = this.#section();
    if (kind === 'thinking' || kind === 'content') this.#output[kind] += this.#blank;
    this.#blank = '';
  }

  #writeText(text: string, kind: 'thinking' | 'content'): void {
    const shown = this.#isAfterTag ? text.trimStart() : text;
    const solid = shown.trimEnd();
    if (solid === '') {
      this.#blank += shown;
      return;
    }
    this.#output[kind] += this.#blank + solid;
    this.#blank = shown.slice(solid.length);
    this.#isAfterTag = false;
  }

  #endCall(closing: string, isClosed: boolean): void {
    const text = this.#body.join('');
    const calls = this.#format.readCalls(text, isClosed);
    this.#body = [];
    if (calls !== undefined) this.#output.calls.push(...calls);
    else this.#writeText(this.#opening + text + closing, 'content');
  }

  #take(): AnswerParts {
    const taken = this.#output;
    this.#output = { thinking: '', content: '', calls: [] };
    return taken;
  }
}

/** Finds the end of the first object or list. */
class JsonEnd {
  isComplete = false;
  #depth = 0;
  #isQuoted = false;
  #isEscaped = false;

  /** The end of the value, or else of the text. */
  read(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      this.#readCharacter(text[at] as string);
      if (this.isComplete) return at + 1;
    }
    return text.length;
  }

  #readCharacter(char: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isQuoted && char === '\\') this.#isEscaped = true;
    else if (char === '"') this.#isQuoted = !this.#isQuoted;
    else if (!this.#isQuoted && (char === '{' || char === '[')) this.#depth++;
    else if (!this.#isQuoted && (char === '}' || char === ']')) this.isComplete = --this.#depth === 0;
  }
}
