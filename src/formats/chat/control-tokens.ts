// The control tokens in the answers of a model that mean something to the parsers: tags of thinking, calls and channels.
// They never become content.

import { harmonyTokens } from './harmony/harmony-parser.ts';
import type { PromptTemplate } from './prompt-template.ts';
import { callTags } from './tool-calls/call-grammar.ts';

interface ControlTokenUse {
  /** Whether thinking is separated from the answer. */
  readonly thinks: boolean;
  /** Whether calls are searched in the answer. */
  readonly calls: boolean;
}

// A tag such as <|channel>thought is a token and text, and the tags of DeepSeek 3.2 contain one.
const tokens = /<[^<>\s]+>|\[\/?[A-Z_]+\]|｜DSML｜/g;
const controlToken = /^<[|｜]|[|｜]>$|^\[\/?[A-Z_]+\]$|_function_call>$|^<escape>$/;

/** The tokens that the parsers need to see in an answer. */
export function controlTokensOf(template: PromptTemplate, { thinks, calls }: ControlTokenUse): readonly string[] {
  const { thinkingTags, callSyntax, hasChannels, parser } = template;
  if (parser !== undefined) return parser.controlTokens;
  const texts = [
    ...(hasChannels ? harmonyTokens : []),
    ...(thinks && thinkingTags ? [thinkingTags.open, thinkingTags.close] : []),
    ...(calls && callSyntax
      ? [...callTags, JSON.stringify(Object.values(callSyntax.layout)), callSyntax.tag, '[ARGS]', '[CALL_ID]']
      : []),
  ];
  return [...new Set(texts.flatMap((text) => text.replaceAll('\\n', ' ').replaceAll('\\"', '"').match(tokens) ?? []))];
}

/** Removes control tokens that the parsers left: tokens of half a call, or at a place where they mean nothing. */
export function withoutControlTokens(text: string, controlTokens: readonly string[]): string {
  return controlTokens
    .filter((token) => controlToken.test(token) && text.includes(token))
    .reduce((rest, token) => rest.replaceAll(token, ''), text);
}
