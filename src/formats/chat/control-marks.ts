// The control tokens in the answers of a model that mean something to the parsers: tags of thinking, calls and channels.
// They never become content.

import { harmonyMarks } from './harmony/harmony-parser.ts';
import type { PromptTemplate } from './prompt-template.ts';
import { callTags } from './tool-calls/call-grammar.ts';

interface MarkUse {
  /** Whether thinking is separated from the answer. */
  readonly thinks: boolean;
  /** Whether calls are searched in the answer. */
  readonly calls: boolean;
}

// A tag such as <|channel>thought is a token and text.
const tokens = /<[^<>\s]+>|\[\/?[A-Z_]+\]/g;
const controlToken = /^<[|｜]|[|｜]>$|^\[\/?[A-Z_]+\]$|_function_call>$|^<escape>$/;

/** The tokens that the parsers need to see in an answer. */
export function marksOf(template: PromptTemplate, { thinks, calls }: MarkUse): readonly string[] {
  const { thinkingTags, callSyntax, hasChannels } = template;
  const texts = [
    ...(hasChannels ? harmonyMarks : []),
    ...(thinks && thinkingTags ? [thinkingTags.open, thinkingTags.close] : []),
    ...(calls
      ? [...callTags, JSON.stringify(Object.values(callSyntax.layout)), callSyntax.tag, '[ARGS]', '[CALL_ID]']
      : []),
  ];
  return [...new Set(texts.flatMap((text) => text.replaceAll('\\n', ' ').replaceAll('\\"', '"').match(tokens) ?? []))];
}

/** Removes marks that the parsers left: those of half a call, or at a place where they mean nothing. */
export function stripMarks(text: string, marks: readonly string[]): string {
  return marks
    .filter((mark) => controlToken.test(mark) && text.includes(mark))
    .reduce((rest, mark) => rest.replaceAll(mark, ''), text);
}
