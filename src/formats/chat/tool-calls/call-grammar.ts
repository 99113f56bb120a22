// The texts that open, separate and close calls: the tag of the model's template, common tags, code fences and lists.
// Tags of other models do no harm, because only a complete call of a known tool counts.

import type { CallSyntax } from './call-syntax.ts';
import { createLiteralMatcher, type LiteralMatcher } from './literal-matcher.ts';
import { type CallShape, firstKeys, toCallShape } from './read-call.ts';

export interface Opener {
  readonly text: string;
  /** Only a tag is always followed by a call. Fences and lists may contain anything. */
  readonly kind: 'tag' | 'fence' | 'list';
  readonly end?: string;
}

export interface CallGrammar {
  readonly shape: CallShape;
  readonly openers: ReadonlyMap<string, Opener>;
  /** End tags that are removed after a call, even without the matching tag. */
  readonly endTags: ReadonlySet<string>;
  /** The texts that open calls anywhere, and at the start of an answer. */
  readonly starts: LiteralMatcher;
  readonly firstStarts: LiteralMatcher;
  /** All texts that are possible between calls. */
  readonly tokens: LiteralMatcher;
  /** The first keys of an object without a tag, if it is a call. */
  readonly firstKeys: LiteralMatcher;
}

const tags: readonly Opener[] = [
  { text: '<tool_call>', kind: 'tag', end: '</tool_call>' },
  { text: '[TOOL_CALLS]', kind: 'tag' },
  { text: '<|python_tag|>', kind: 'tag' },
  { text: '<function=', kind: 'tag', end: '</function>' },
  { text: '<function_call>', kind: 'tag', end: '</function_call>' },
  { text: '<|tool_call|>', kind: 'tag', end: '<|/tool_call|>' },
  { text: '<|tool_call_start|>', kind: 'tag', end: '<|tool_call_end|>' },
  { text: '<toolcall>', kind: 'tag', end: '</toolcall>' },
  { text: '<TOOLCALL>', kind: 'tag', end: '</TOOLCALL>' },
  { text: '```tool_call', kind: 'tag', end: '```' },
  { text: '```tool_code', kind: 'tag', end: '```' },
  { text: '```json', kind: 'fence', end: '```' },
];

// Too common within text to open a call there.
const firstOnly: readonly Opener[] = [
  { text: '```', kind: 'fence', end: '```' },
  { text: '[', kind: 'list', end: ']' },
];

const commonEnds = ['```', ']'];

export function createCallGrammar(syntax: CallSyntax, toolNames: readonly string[]): CallGrammar {
  const shape = toCallShape(syntax, new Set(toolNames));
  const anywhere = [...tags, ...ownTag(syntax)];
  const openers = new Map([...firstOnly, ...anywhere].map((opener) => [opener.text, opener]));
  const ends = [...openers.values()].flatMap(({ end }) => end ?? []);
  const endTags = [syntax.endTag?.trim() ?? '', ...ends].filter((end) => end !== '' && !commonEnds.includes(end));
  return {
    shape,
    openers,
    endTags: new Set(endTags),
    starts: createLiteralMatcher(anywhere.map(({ text }) => text)),
    firstStarts: createLiteralMatcher([...openers.keys(), '{']),
    tokens: createLiteralMatcher([...openers.keys(), ...ends, ...endTags, ...toolNames, '{', ',', ';']),
    firstKeys: createLiteralMatcher(firstKeys(shape).map((key) => JSON.stringify(key))),
  };
}

/** The template's tag without the brackets and quotes of the call after it; empty if nothing else remains. */
function ownTag(syntax: CallSyntax): Opener[] {
  let text = syntax.tag.trim();
  while (/[{["']$/.test(text)) text = text.slice(0, -1).trimEnd();
  if (text === '') return [];
  const known = tags.find((tag) => tag.text === text)?.end;
  const end = syntax.endTag?.trim() || known || closingTag(text);
  return [{ text, kind: 'tag', ...(end === undefined ? {} : { end }) }];
}

function closingTag(tag: string): string | undefined {
  return /^<\w+>$/.test(tag) ? `</${tag.slice(1)}` : undefined;
}
