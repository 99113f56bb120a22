// What can open, separate and close calls: the tag of the model's own template, the tags in wide use, code fences and
// lists. A foreign tag does no harm, for only a whole call of a known tool counts, after whichever tag.

import { createLiteralMatcher, type LiteralMatcher } from './literal-matcher.ts';
import { type CallShape, firstKeys, toCallShape } from './read-call.ts';
import type { ToolFormat } from './tool-format.ts';

export interface Opener {
  readonly text: string;
  /** Only a tag says for sure that a call follows; fences and lists may hold anything. */
  readonly kind: 'tag' | 'fence' | 'list';
  readonly end?: string;
}

export interface CallGrammar {
  readonly shape: CallShape;
  readonly openers: ReadonlyMap<string, Opener>;
  /** Ends that vanish after a call, even where their tag is missing or another. */
  readonly endTags: ReadonlySet<string>;
  /** What opens calls anywhere, and what does so at the beginning of an answer. */
  readonly starts: LiteralMatcher;
  readonly firstStarts: LiteralMatcher;
  /** Everything that can stand between calls. */
  readonly tokens: LiteralMatcher;
  /** What an object without a tag begins with, if it is a call. */
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

// In the middle of prose these are too common: there they stay what they are.
const firstOnly: readonly Opener[] = [
  { text: '```', kind: 'fence', end: '```' },
  { text: '[', kind: 'list', end: ']' },
];

const commonEnds = ['```', ']'];

export function createCallGrammar(format: ToolFormat, toolNames: readonly string[]): CallGrammar {
  const shape = toCallShape(format, new Set(toolNames));
  const anywhere = [...tags, ...ownTag(format)];
  const openers = new Map([...firstOnly, ...anywhere].map((opener) => [opener.text, opener]));
  const ends = [...openers.values()].flatMap(({ end }) => end ?? []);
  const endTags = [format.endTag?.trim() ?? '', ...ends].filter((end) => end !== '' && !commonEnds.includes(end));
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

/** The template's tag, less the brackets and quotes of the call behind it; none where nothing else is left. */
function ownTag(format: ToolFormat): Opener[] {
  let text = format.tag.trim();
  while (/[{["']$/.test(text)) text = text.slice(0, -1).trimEnd();
  if (text === '') return [];
  const known = tags.find((tag) => tag.text === text)?.end;
  const end = format.endTag?.trim() || known || closingTag(text);
  return [{ text, kind: 'tag', ...(end === undefined ? {} : { end }) }];
}

function closingTag(tag: string): string | undefined {
  return /^<\w+>$/.test(tag) ? `</${tag.slice(1)}` : undefined;
}
