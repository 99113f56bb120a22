// Separates what a model writes into thinking, content and tool calls, token by token.

import type { Step } from '../../base/pipe.ts';
import type { FunctionNames } from '../../formats/chat/harmony/function-names.ts';
import { createHarmonyParser, harmonyTokens } from '../../formats/chat/harmony/harmony-parser.ts';
import type { AnswerParser } from '../../formats/chat/parsers/answer-parser.ts';
import { combineParsers } from '../../formats/chat/parsers/combine-parsers.ts';
import type { PromptTemplate } from '../../formats/chat/prompt-template.ts';
import { createThinkingParser } from '../../formats/chat/thinking/thinking-parser.ts';
import { callTags } from '../../formats/chat/tool-calls/call-grammar.ts';
import type { AnswerParts } from '../../formats/chat/tool-calls/tool-call.ts';
import { createToolCallParser } from '../../formats/chat/tool-calls/tool-call-parser.ts';
import type { ThinkOption } from '../../models/think.ts';
import type { GenerateRequest } from '../engine/ports.ts';
import type { AnswerEvent } from '../model/answer-event.ts';
import type { GenerationOptions, Message, MessageToolCall, Tool } from '../model/conversation.ts';
import { endsInsideThinking } from './render/thinking.ts';

export interface AnswerSyntax {
  /** Absent: the answer is only text. */
  readonly parser?: AnswerParser;
  /** Control tokens that must not appear in the content. */
  readonly controlTokens?: readonly string[];
  /** Returns a unique id. Absent: calls are dropped. */
  readonly newCallId?: () => string;
  /** The names of tools in the prompt, if they are not the client's. */
  readonly names?: FunctionNames | undefined;
  /** Nothing after the first call is passed on. */
  readonly singleCall?: boolean;
}

type Pass = (event: AnswerEvent) => void;

/** A step from `tokens` to the events that they consist of. Calls that a remote has found pass it, too. */
export function splitAnswer(syntax: AnswerSyntax): Step<AnswerEvent, AnswerEvent> {
  const { parser, controlTokens = [], newCallId, names, singleCall } = syntax;
  let hasCalled = false;

  const passText = (content: string, pass: Pass): void => {
    const text = controlTokens.length === 0 ? content : withoutControlTokens(content, controlTokens);
    if (text !== '') pass({ type: 'text', text });
  };
  const passCalls = (calls: readonly MessageToolCall[], pass: Pass): void => {
    if (calls.length === 0 || newCallId === undefined || (singleCall && hasCalled)) return;
    hasCalled = true;
    const passed = singleCall ? calls.slice(0, 1) : calls;
    const nameOf = (name: string): string => names?.fromModel(name) ?? name;
    pass({
      type: 'tool-calls',
      calls: passed.map((call) => ({ ...call, name: nameOf(call.name), id: call.id ?? newCallId() })),
    });
  };
  const passParts = ({ thinking, content, calls }: AnswerParts, pass: Pass): void => {
    if (singleCall && hasCalled) return;
    if (thinking !== '') pass({ type: 'thinking', text: thinking });
    passText(content, pass);
    passCalls(calls, pass);
  };

  return {
    push(event, pass) {
      if (event.type === 'tool-calls') {
        passCalls(event.calls, pass);
        return;
      }
      if (event.type === 'done' && parser !== undefined)
        passParts(parser.finish({ isCut: event.reason === 'length' }), pass);
      pass(event);
      if (event.type !== 'tokens') return;
      if (parser === undefined) passText(event.text, pass);
      else passParts(parser.push(event.text), pass);
    },
  };
}

// What a template and the options of a request mean for the generation of an answer, and for reading it.

/** The options that the runner applies. */
export function engineOptions(options: GenerationOptions) {
  const { topLogprobs, promptLogprobs, promptOnly, promptProgress } = options;
  const { logitBias, shift, truncate, tokenIds, session, prediction } = options;
  return {
    session,
    wantTokens: tokenIds,
    wantProgress: promptProgress,
    topLogprobs,
    promptLogprobs,
    promptOnly,
    prediction,
    logitBias: logitBias?.length === 0 ? undefined : logitBias,
    shift,
    truncate,
  };
}

interface SyntaxParts {
  readonly think: ThinkOption | undefined;
  readonly prompt: string;
  readonly tools: readonly Tool[];
  readonly lastMessage?: Message;
}

export function parserOf(template: PromptTemplate, parts: SyntaxParts): AnswerParser | undefined {
  const { think, prompt, tools, lastMessage } = parts;
  const { hasChannels, thinkingTags, callSyntax, parser } = template;
  if (parser !== undefined) return parser.open({ tools, think, lastMessage });
  if (hasChannels) return createHarmonyParser(tools.map(({ name }) => name));
  const thinks = think && thinkingTags;
  const calls = tools.length > 0 && callSyntax;
  if (!thinks && !calls) return undefined;
  return combineParsers(
    thinks ? createThinkingParser(thinks, endsInsideThinking(prompt, thinks)) : undefined,
    calls ? createToolCallParser({ syntax: calls, tools }) : undefined,
  );
}

export function unenforcedIn(format: { readonly unenforced: readonly string[] } | undefined) {
  return format === undefined || format.unenforced.length === 0 ? {} : { unenforced: format.unenforced };
}

/** Grammars do not apply to thinking. In channels, a budget would close it with the wrong text, and a call may be first. */
export function thinkingOf(
  { hasChannels, thinkingTags }: PromptTemplate,
  request: Pick<SyntaxParts, 'think' | 'prompt'> & GenerationOptions & Pick<GenerateRequest, 'grammar'>,
): GenerateRequest['thinking'] {
  const { think, prompt, thinkingBudget, grammar } = request;
  if (thinkingTags === undefined || (hasChannels ? grammar !== undefined : !think)) return undefined;
  const begun = endsInsideThinking(prompt, thinkingTags);
  return { ...thinkingTags, begun, budget: hasChannels ? undefined : thinkingBudget };
}

// The control tokens in the answers of a model that mean something to the parsers: tags of thinking, calls and channels.
// They never become content.

interface ControlTokenUse {
  /** Whether thinking is separated from the answer. */
  readonly thinks: boolean;
  /** Whether calls are searched in the answer. */
  readonly calls: boolean;
}

// A tag such as <|channel>thought is a token and text, and the tags of DeepSeek 3.2 and MiniMax M3 contain one.
const tokens = /<[^<>\s]+>|\[\/?[A-Z_]+\]|｜DSML｜|\]<\]minimax\[>\[/g;
const controlToken = /^<[|｜]|[|｜]>$|^\[\/?[A-Z_]+\]$|_function_call>$|^<escape>$|^\]<\]/;

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
