// Reads answers that consist of sections between tags: thinking, content and calls. Most families are a table of sections.
//
// White space around tags and at the end of the answer is no part of a section, except where a table says so. Each
// character is read once, so the result does not depend on how the answer is cut.

import { createLiteralMatcher, type LiteralMatcher, partial, skipWhiteSpace } from '../tool-calls/literal-matcher.ts';
import type { AnswerEnding, AnswerParts, ToolCall, ToolOutput } from '../tool-calls/tool-call.ts';
import type { AnswerParser } from './answer-parser.ts';
import { type Progress, readOn } from './read-on.ts';

export interface Section {
  /** `call-name`: the text and the tag after it begin the call of the next section. */
  readonly kind: 'thinking' | 'content' | 'call-name' | 'call' | 'ignored';
  /** The section after each tag that ends this one. */
  readonly exits: Readonly<Record<string, string | SectionExit>>;
  /** White space at the end of the answer is content. */
  readonly keepsEnd?: true;
  /** The section after a JSON object or list that ends this one. */
  readonly afterJson?: string;
  /** A text that may follow the tag before the section, and belongs to it. */
  readonly label?: string;
  /** The section of a text that comes before any of the tags. */
  readonly text?: string;
}

interface SectionExit {
  readonly to: string;
  /** On which sides of the tag white space is content. */
  readonly keeps?: 'before' | 'after' | 'both';
  /** The text of a call before the tag is content. */
  readonly interrupts?: true;
}

interface SectionFormat {
  readonly sections: Readonly<Record<string, Section>>;
  readonly start: SectionStart;
  /** The calls in the text of a section after its tag; undefined if there are none, then the text is content. `isClosed`:
   * not at the end of the answer. */
  readonly readCalls: (text: string, isClosed: boolean, tag: string) => readonly ToolCall[] | undefined;
  /** Finds calls without a tag in the content. */
  readonly untagged?: CallFinder;
}

export interface CallFinder {
  push(text: string): ToolOutput;
  /** Ends the content: before a tag, or with the answer. */
  finish(ending: AnswerEnding & { readonly atTag: boolean }): ToolOutput;
}

/** The first section, which can depend on a tag at the start of the answer. */
export type SectionStart = string | { readonly tag: string; readonly found: string; readonly otherwise: string };

export class SectionParser implements AnswerParser {
  readonly #format: Omit<SectionFormat, 'start'>;
  readonly #tags: ReadonlyMap<string, LiteralMatcher>;
  #current = '';
  /** The start of the section is not decided yet. */
  #isAtStart = true;
  #rest = '';
  /** White space that is content only if text follows. */
  #blank = '';
  #isAfterTag = false;
  /** The current call: white space before it, its tag and its text. */
  #gap = '';
  #opening = '';
  #body: string[] = [];
  #json = new JsonEnd();
  #output = { thinking: '', content: '', calls: [] as ToolCall[] };

  constructor({ start, ...format }: SectionFormat) {
    const sections = { ...format.sections };
    if (typeof start === 'string') {
      this.#current = start;
      this.#isAfterTag = sections[start]?.text !== undefined;
    } else sections[''] = { kind: 'ignored', exits: { [start.tag]: start.found }, text: start.otherwise };
    this.#format = { ...format, sections };
    this.#tags = new Map(
      Object.entries(sections).map(([name, { exits }]) => [name, createLiteralMatcher(Object.keys(exits))]),
    );
  }

  push(text: string): AnswerParts {
    this.#rest = this.#advance(this.#rest + text, false);
    return this.#take();
  }

  finish({ isCut }: AnswerEnding): AnswerParts {
    this.#rest = this.#advance(this.#rest, true);
    const { kind, keepsEnd } = this.#section();
    if (kind === 'call' && !isCut) this.#endCall('open', '');
    if (keepsEnd) this.#writeBlank();
    this.#addFound(this.#format.untagged?.finish({ isCut, atTag: false }));
    return this.#take();
  }

  #section(): Section {
    return this.#format.sections[this.#current] as Section;
  }

  #advance(text: string, ended: boolean): string {
    return readOn(text, (at) => this.#read(text, at, ended));
  }

  #read(text: string, at: number, ended: boolean): Progress {
    const { afterJson, text: section, label } = this.#section();
    if (afterJson !== undefined) return this.#readJson(text, at, afterJson);
    if (this.#isAtStart && section !== undefined) return this.#readFirstTag(section, text, at, ended);
    if (this.#isAtStart && label !== undefined) return this.#readLabel(label, text, at, ended);
    return this.#readText(text, at, ended);
  }

  /** The part of a call that ends with JSON. */
  #readJson(text: string, at: number, next: string): Progress {
    const end = this.#json.read(text, at);
    this.#body.push(text.slice(at, end));
    if (this.#json.isComplete) this.#leave({ to: next, keeps: 'after' }, '');
    return { end, isOpen: false };
  }

  /** A tag, or else the start of another section. */
  #readFirstTag(section: string, text: string, at: number, ended: boolean): Progress {
    const start = skipWhiteSpace(text, at);
    if (!this.#isAfterTag) this.#blank += text.slice(at, start);
    if (start === text.length) return { end: start, isOpen: false };
    const tag = this.#tags.get(this.#current)?.match(text, start, ended);
    if (tag === partial) return { end: start, isOpen: true };
    if (tag === undefined) this.#current = section;
    else this.#leaveBy(tag);
    return { end: start + (tag?.length ?? 0), isOpen: false };
  }

  #readLabel(label: string, text: string, at: number, ended: boolean): Progress {
    const hasLabel = text.startsWith(label, at);
    if (!hasLabel && !ended && label.startsWith(text.slice(at, at + label.length))) return { end: at, isOpen: true };
    this.#isAtStart = false;
    return { end: at + (hasLabel ? label.length : 0), isOpen: false };
  }

  #readText(text: string, at: number, ended: boolean): Progress {
    const tags = this.#tags.get(this.#current);
    const next = tags?.find(text, at, ended) ?? text.length;
    this.#write(text.slice(at, next));
    const tag = tags?.match(text, next, ended);
    if (typeof tag !== 'string') return { end: next, isOpen: true };
    this.#leaveBy(tag);
    return { end: next + tag.length, isOpen: false };
  }

  #leaveBy(tag: string): void {
    this.#leave(this.#section().exits[tag] as string | SectionExit, tag);
  }

  #leave(exit: string | SectionExit, tag: string): void {
    const { to, keeps, interrupts }: SectionExit = typeof exit === 'string' ? { to: exit } : exit;
    const { kind } = this.#section();
    if (keeps === 'before' || keeps === 'both') this.#writeBlank();
    if (kind === 'content') this.#addFound(this.#format.untagged?.finish({ isCut: false, atTag: true }));
    if (kind === 'call-name') this.#body.push(tag);
    const isCall = kind !== 'call' || this.#endCall(interrupts ? 'interrupted' : 'closed', tag);
    if (kind !== 'call' && kind !== 'call-name') this.#gap = kind === 'content' ? this.#blank : '';
    if (kind !== 'call-name') this.#opening = tag;
    this.#enter(to);
    this.#isAfterTag = isCall && keeps !== 'after' && keeps !== 'both';
    // Text goes on after what is not a call.
    if (!isCall) this.#current = this.#section().text ?? to;
  }

  #enter(section: string): void {
    this.#current = section;
    this.#isAtStart = true;
    this.#blank = '';
    this.#isAfterTag = true;
    this.#json = new JsonEnd();
  }

  #write(text: string): void {
    const { kind } = this.#section();
    if (kind === 'call' || kind === 'call-name') this.#body.push(text);
    else if (kind !== 'ignored') this.#writeText(text, kind);
  }

  #writeBlank(): void {
    const { kind } = this.#section();
    if (kind === 'thinking' || kind === 'content') this.#emit(kind, this.#blank);
    this.#blank = '';
  }

  #writeText(text: string, kind: 'thinking' | 'content'): void {
    const shown = this.#isAfterTag ? text.trimStart() : text;
    const solid = shown.trimEnd();
    if (solid === '') {
      this.#blank += shown;
      return;
    }
    this.#emit(kind, this.#blank + solid);
    this.#blank = shown.slice(solid.length);
    this.#isAfterTag = false;
  }

  #emit(kind: 'thinking' | 'content', text: string): void {
    if (kind === 'content' && this.#format.untagged !== undefined) this.#addFound(this.#format.untagged.push(text));
    else this.#output[kind] += text;
  }

  #addFound({ content, calls }: ToolOutput = { content: '', calls: [] }): void {
    this.#output.content += content;
    this.#output.calls.push(...calls);
  }

  /** Returns false if the text is content because there are no calls in it. */
  #endCall(end: 'closed' | 'open' | 'interrupted', closing: string): boolean {
    const text = this.#body.join('');
    this.#body = [];
    const isInterrupted = end === 'interrupted';
    const calls = isInterrupted ? undefined : this.#format.readCalls(text, end === 'closed', this.#opening);
    if (calls !== undefined) this.#output.calls.push(...calls);
    else this.#emit('content', this.#gap + this.#opening + text + (isInterrupted ? '' : closing));
    return calls !== undefined || isInterrupted;
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
