// What a template and the options of a request mean for the generation of an answer, and for reading it.

import { createHarmonyParser } from '../../formats/chat/harmony/harmony-parser.ts';
import type { PromptTemplate } from '../../formats/chat/prompt-template.ts';
import { createThinkingParser } from '../../formats/chat/thinking/thinking-parser.ts';
import { createToolCallParser } from '../../formats/chat/tool-calls/tool-call-parser.ts';
import type { ThinkOption } from '../../models/think.ts';
import type { GenerateRequest } from '../engine/ports.ts';
import type { GenerationOptions, Tool } from '../model/conversation.ts';
import { endsInsideThinking } from './render/thinking.ts';
import type { AnswerSyntax } from './split-answer.ts';

/** The options that the runner applies. */
export function engineOptions({ topLogprobs, logitBias, shift, truncate }: GenerationOptions) {
  return { topLogprobs, logitBias: logitBias?.length === 0 ? undefined : logitBias, shift, truncate };
}

interface SyntaxParts {
  readonly think: ThinkOption | undefined;
  readonly prompt: string;
  readonly tools: readonly Tool[];
}

export function syntaxOf(template: PromptTemplate, { think, prompt, tools }: SyntaxParts): AnswerSyntax {
  const { hasChannels, thinkingTags, callSyntax } = template;
  if (hasChannels) return { content: createHarmonyParser(tools.map(({ name }) => name)) };
  return {
    thinking:
      think && thinkingTags ? createThinkingParser(thinkingTags, endsInsideThinking(prompt, thinkingTags)) : undefined,
    content: tools.length === 0 ? undefined : createToolCallParser({ syntax: callSyntax, tools }),
  };
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
