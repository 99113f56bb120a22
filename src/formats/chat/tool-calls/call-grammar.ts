// The texts that open, separate and close calls: the tag of the model's template, common tags, code fences and lists.
// Tags of other models do no harm, because only a complete call of a known tool counts.

import { minimaxMark } from './call-layouts.ts';
import type { CallTexts } from './call-syntax.ts';
import { createLiteralMatcher, type LiteralMatcher } from './literal-matcher.ts';
import { type CallShape, firstKeys, toCallShape } from './read-call.ts';

export interface Opener {
  readonly text: string;
  /** Only a tag is always followed by a call. Fences and lists may contain anything. */
  readonly kind: 'tag' | 'fence' | 'list';
  readonly end?: string;
  /** Arguments in braces have bare keys, and this text around their texts. */
  readonly quote?: string;
}

/** A tool with the JSON schema of its arguments. */
export interface CalledTool {
  readonly name: string;
  readonly parameters?: unknown;
}

export interface CallGrammar {
  readonly shape: CallShape;
  readonly openers: ReadonlyMap<string, Opener>;
  /** The schema of a tool's arguments. */
  readonly parametersOf: (name: string) => unknown;
  /** End tags that are removed after a call, even without the matching tag. */
  readonly endTags: ReadonlySet<string>;
  readonly ends: LiteralMatcher;
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
  { text: '<function name="', kind: 'tag', end: '</function>' },
  { text: '<function_call>', kind: 'tag', end: '</function_call>' },
  { text: '<|tool_call|>', kind: 'tag', end: '<|/tool_call|>' },
  { text: '<|tool_call_start|>', kind: 'tag', end: '<|tool_call_end|>' },
  { text: '<toolcall>', kind: 'tag', end: '</toolcall>' },
  { text: '<TOOLCALL>', kind: 'tag', end: '</TOOLCALL>' },
  { text: '<start_function_call>', kind: 'tag', end: '<end_function_call>', quote: '<escape>' },
  { text: '<|tool_call>', kind: 'tag', end: '<tool_call|>', quote: '<|"|>' },
  { text: '<function_calls>', kind: 'tag', end: '</function_calls>' },
  { text: '<｜tool▁calls▁begin｜>', kind: 'tag', end: '<｜tool▁calls▁end｜>' },
  { text: '<｜tool▁call▁begin｜>', kind: 'tag', end: '<｜tool▁call▁end｜>' },
  { text: '<|START_ACTION|>', kind: 'tag', end: '<|END_ACTION|>' },
  { text: '<|tools_prefix|>', kind: 'tag', end: '<|tools_suffix|>' },
  { text: '<tool_calls>', kind: 'tag', end: '</tool_calls>' },
  { text: '<|tool_calls_section_begin|>', kind: 'tag', end: '<|tool_calls_section_end|>' },
  { text: '<|tool_call_begin|>', kind: 'tag', end: '<|tool_call_end|>' },
  { text: '<seed:tool_call>', kind: 'tag', end: '</seed:tool_call>' },
  { text: '<minimax:tool_call>', kind: 'tag', end: '</minimax:tool_call>' },
  { text: `${minimaxMark}<tool_call>`, kind: 'tag', end: `${minimaxMark}</tool_call>` },
  { text: `${minimaxMark}<invoke name="`, kind: 'tag', end: `${minimaxMark}</invoke>` },
  { text: '<|function_call|>', kind: 'tag' },
  { text: '<invoke name="', kind: 'tag', end: '</invoke>' },
  { text: '<｜DSML｜function_calls>', kind: 'tag', end: '</｜DSML｜function_calls>' },
  { text: '<｜DSML｜tool_calls>', kind: 'tag', end: '</｜DSML｜tool_calls>' },
  { text: '<｜DSML｜invoke name="', kind: 'tag', end: '</｜DSML｜invoke>' },
  { text: '<tool_calls:opensource>', kind: 'tag', end: '</tool_calls:opensource>' },
  { text: '<tool_call:opensource>', kind: 'tag', end: '</tool_call:opensource>' },
  { text: '```tool_call', kind: 'tag', end: '```' },
  { text: '```tool_code', kind: 'tag', end: '```' },
  { text: '```json', kind: 'fence', end: '```' },
];

// Too common within text to open a call there.
const firstOnly: readonly Opener[] = [
  { text: '```', kind: 'fence', end: '```' },
  { text: '[', kind: 'list', end: ']' },
];

// Between a tag and the name of a tool.
const beforeNames: readonly Opener[] = [
  { text: 'call:', kind: 'tag' },
  { text: 'functions.', kind: 'tag' },
  { text: 'function call<|role_sep|>', kind: 'tag' },
  { text: 'function<｜tool▁sep｜>', kind: 'tag' },
];

/** A call without its opening tag. */
export const unopenedStart = '\n{';

const commonEnds = ['```', ']'];

/** Closing texts without an opening one, which models write after calls. */
export const leftovers: ReadonlySet<string> = new Set(['}', ']', '```', '[/TOOL_CALLS]']);

/** All tags of calls, and their end tags. */
export const callTags: readonly string[] = tags.flatMap(({ text, end }) => (end === undefined ? [text] : [text, end]));

export function createCallGrammar(syntax: CallTexts, tools: readonly CalledTool[]): CallGrammar {
  const parameters = new Map(tools.map((tool) => [tool.name, tool.parameters]));
  const toolNames = [...parameters.keys()];
  const shape = toCallShape(syntax, new Set(toolNames));
  const anywhere = [...ownTag(syntax), ...tags];
  const openers = new Map([...firstOnly, ...beforeNames, ...anywhere].map((opener) => [opener.text, opener]));
  const ends = [...openers.values()].flatMap(({ end }) => end ?? []);
  const endTags = [syntax.endTag?.trim() ?? '', ...ends].filter((end) => end !== '' && !commonEnds.includes(end));
  return {
    shape,
    openers,
    parametersOf: (name) => parameters.get(name),
    endTags: new Set(endTags),
    ends: createLiteralMatcher(endTags),
    starts: createLiteralMatcher([...anywhere.map(({ text }) => text), unopenedStart]),
    firstStarts: createLiteralMatcher([...anywhere, ...firstOnly].map(({ text }) => text).concat('{')),
    tokens: createLiteralMatcher([...openers.keys(), ...ends, ...endTags, ...leftovers, ...toolNames, '{', ',', ';']),
    firstKeys: createLiteralMatcher(firstKeys(shape).map((key) => JSON.stringify(key))),
  };
}

/** The template's tag without the brackets and quotes of the call after it; empty if nothing else remains. */
function ownTag(syntax: CallTexts): Opener[] {
  let text = syntax.tag.trim();
  while (/[{["']$/.test(text)) text = text.slice(0, -1).trimEnd();
  if (text === '') return [];
  const end = syntax.endTag?.trim() || endTagOf(text);
  return [{ text, kind: 'tag', end }];
}

/** The text that closes a tag, if it is known. */
export function endTagOf(tag: string): string | undefined {
  const known = [...tags, ...firstOnly].find(({ text }) => text === tag)?.end;
  if (known !== undefined) return known;
  if (tag.endsWith('```json')) return '```';
  return /^<\w+>$/.test(tag) ? `</${tag.slice(1)}` : undefined;
}
