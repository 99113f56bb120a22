// Reads answers that consist of sections between tags: thinking, content and calls. Most families are a table of sections.
//
// White space around tags and at the end of the answer is no part of a section. Each character is read once, so the
// result does not depend on how the answer is cut.

import { createLiteralMatcher, type LiteralMatcher, partial } from '../tool-calls/literal-matcher.ts';
import type { AnswerEnding, AnswerParts, ToolCall } from '../tool-calls/tool-call.ts';
import type { AnswerParser } from './answer-parser.ts';

export interface Section {
  readonly kind: 'thinking' | 'content' | 'call';
  /** The section after each tag that ends this one. */
  readonly exits: Readonly<Record<string, string>>;
}

interface SectionFormat {
  readonly sections: Readonly<Record<string, Section>>;
  readonly start: SectionStart;
  /** The calls in the text of a section; undefined if there are none, then the text is content. */
  readonly readCalls: (text: string) => readonly ToolCall[] | undefined;
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
    if (this.#section().kind === 'call' && !isCut) this.#endCall('');
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
      const tags = this.#tags.get(this.#current);
      const next = tags?.find(text, at, ended) ?? text.length;
      this.#write(text.slice(at, next));
      const tag = tags?.match(text, next, ended);
      if (tag === undefined || tag === partial) return text.slice(next);
      const { kind, exits } = this.#section();
      if (kind === 'call') this.#endCall(tag);
      this.#enter(exits[tag] as string, tag);
      at = next + tag.length;
    }
    return '';
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
  }

  #write(text: string): void {
    const { kind } = this.#section();
    if (kind === 'call') this.#body.push(text);
    else this.#writeText(text, kind);
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

  #endCall(closing: string): void {
    const text = this.#body.join('');
    const calls = this.#format.readCalls(text);
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
