// Reads answers that consist of sections between tags: thinking, content and calls. Most families are a table of sections.
//
// White space around tags and at the end of the answer is no part of a section. Each character is read once, so the
// result does not depend on how the answer is cut.

import { createLiteralMatcher, partial } from '../tool-calls/literal-matcher.ts';
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

export function createSectionParser({ sections, start: firstSection, readCalls }: SectionFormat): AnswerParser {
  const matchers = new Map(
    Object.entries(sections).map(([name, { exits }]) => [name, createLiteralMatcher(Object.keys(exits))]),
  );
  let undecidedStart = typeof firstSection === 'string' ? undefined : firstSection;
  let current = typeof firstSection === 'string' ? firstSection : firstSection.otherwise;
  let rest = '';
  /** White space that is content only if text follows. */
  let blank = '';
  let isAfterTag = false;
  /** The tag and text of the current call. */
  let opening = '';
  let body: string[] = [];
  let output = { thinking: '', content: '', calls: [] as ToolCall[] };

  const sectionOf = (name: string): Section => sections[name] as Section;

  const writeText = (text: string, kind: 'thinking' | 'content'): void => {
    const shown = isAfterTag ? text.trimStart() : text;
    const solid = shown.trimEnd();
    if (solid === '') {
      blank += shown;
      return;
    }
    output[kind] += blank + solid;
    blank = shown.slice(solid.length);
    isAfterTag = false;
  };

  const write = (text: string): void => {
    const { kind } = sectionOf(current);
    if (kind === 'call') body.push(text);
    else writeText(text, kind);
  };

  const endCall = (closing: string): void => {
    const text = body.join('');
    const calls = readCalls(text);
    body = [];
    if (calls !== undefined) output.calls.push(...calls);
    else writeText(opening + text + closing, 'content');
  };

  const enter = (name: string, tag: string): void => {
    current = name;
    blank = '';
    isAfterTag = true;
    opening = tag;
  };

  /** Where the text goes on after the tag at the start; undefined if more text is needed. */
  const readStart = (text: string, ended: boolean): number | undefined => {
    if (undecidedStart === undefined) return 0;
    const { tag, found } = undecidedStart;
    const hasTag = text.startsWith(tag);
    if (!hasTag && tag.startsWith(text) && !ended) return undefined;
    undecidedStart = undefined;
    if (hasTag) enter(found, tag);
    return hasTag ? tag.length : 0;
  };

  /** White space before the tag at the start is kept apart, so that it is not read again and again. */
  const withoutBlank = (text: string): string => {
    if (undecidedStart === undefined) return text;
    const solid = text.trimStart();
    blank += text.slice(0, text.length - solid.length);
    return solid;
  };

  const advance = (text: string, ended: boolean): string => {
    const start = readStart(text, ended);
    if (start === undefined) return text;
    let at = start;
    while (at < text.length) {
      const tags = matchers.get(current);
      const next = tags?.find(text, at, ended) ?? text.length;
      write(text.slice(at, next));
      const tag = tags?.match(text, next, ended);
      if (tag === undefined || tag === partial) return text.slice(next);
      const { kind, exits } = sectionOf(current);
      if (kind === 'call') endCall(tag);
      enter(exits[tag] as string, tag);
      at = next + tag.length;
    }
    return '';
  };

  const take = (): AnswerParts => {
    const taken = output;
    output = { thinking: '', content: '', calls: [] };
    return taken;
  };

  return {
    push(text) {
      rest = advance(rest === '' ? withoutBlank(text) : rest + text, false);
      return take();
    },
    finish({ isCut }: AnswerEnding) {
      rest = advance(rest, true);
      if (sectionOf(current).kind === 'call' && !isCut) endCall('');
      return take();
    },
  };
}
