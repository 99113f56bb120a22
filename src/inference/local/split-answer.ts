// Separates what a model writes into thinking, content and tool calls, token by token.

import type { Step } from '../../base/pipe.ts';
import { withoutControlTokens } from '../../formats/chat/control-tokens.ts';
import { createHarmonyParser } from '../../formats/chat/harmony/harmony-parser.ts';
import type { AnswerParser } from '../../formats/chat/parsers/answer-parser.ts';
import { combineParsers } from '../../formats/chat/parsers/combine-parsers.ts';
import type { PromptTemplate } from '../../formats/chat/prompt-template.ts';
import { createThinkingParser } from '../../formats/chat/thinking/thinking-parser.ts';
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
  /** Nothing after the first call is passed on. */
  readonly singleCall?: boolean;
}

type Pass = (event: AnswerEvent) => void;

/** A step from `tokens` to the events that they consist of. Calls that a remote has found pass it, too. */
export function splitAnswer(syntax: AnswerSyntax): Step<AnswerEvent, AnswerEvent> {
  const { parser, controlTokens = [], newCallId, singleCall } = syntax;
  let hasCalled = false;

  const passText = (content: string, pass: Pass): void => {
    const text = controlTokens.length === 0 ? content : withoutControlTokens(content, controlTokens);
    if (text !== '') pass({ type: 'text', text });
  };
  const passCalls = (calls: readonly MessageToolCall[], pass: Pass): void => {
    if (calls.length === 0 || newCallId === undefined || (singleCall && hasCalled)) return;
    hasCalled = true;
    const passed = singleCall ? calls.slice(0, 1) : calls;
    pass({ type: 'tool-calls', calls: passed.map((call) => ({ ...call, id: call.id ?? newCallId() })) });
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
export function engineOptions({ topLogprobs, logitBias, shift, truncate, tokenIds }: GenerationOptions) {
  return {
    wantTokens: tokenIds,
    topLogprobs,
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
