// Answers in channels, as those of gpt-oss: separates thinking, content and calls. A format applies to the last channel.

import { createHarmonyParser } from '../../../formats/chat/harmony/harmony-parser.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import type { GenerateRequest } from '../../../inference/engine/ports.ts';
import type { AnswerEvent } from './answer.ts';
import { type CallOptions, splitAnswer, type ToolCallsFound } from './find-tool-calls.ts';

export interface ChannelOptions extends CallOptions {
  readonly tools: readonly Tool[];
}

export function splitChannels(
  events: AsyncIterable<AnswerEvent>,
  { tools, ...options }: ChannelOptions,
): AsyncGenerator<AnswerEvent | ToolCallsFound> {
  return splitAnswer(events, createHarmonyParser(tools.map(({ name }) => name)), options);
}

/** A grammar for the content of an answer in channels. */
export function inLastChannel(grammar: string): Pick<GenerateRequest, 'lazyGrammar'> {
  const triggers = [{ text: '<|channel|>final<|message|>', atStart: false }];
  return { lazyGrammar: { grammar, triggers, afterTrigger: true } };
}
