// What a template and the options of a request mean for the generation of an answer, and for reading it.

import { createHarmonyParser } from '../../formats/chat/harmony/harmony-parser.ts';
import type { AnswerParser } from '../../formats/chat/parsers/answer-parser.ts';
import { combineParsers } from '../../formats/chat/parsers/combine-parsers.ts';
import type { PromptTemplate } from '../../formats/chat/prompt-template.ts';
import { createThinkingParser } from '../../formats/chat/thinking/thinking-parser.ts';
import { createToolCallParser } from '../../formats/chat/tool-calls/tool-call-parser.ts';
import type { ThinkOption } from '../../models/think.ts';
import type { GenerateRequest } from '../engine/ports.ts';
import type { GenerationOptions, Message, Tool } from '../model/conversation.ts';
import { endsInsideThinking } from './render/thinking.ts';

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
