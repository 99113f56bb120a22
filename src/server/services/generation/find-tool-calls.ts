// Separates the content of an answer from its tool calls, and from thinking if the parser finds it, too.

import type { MessageToolCall } from '../../../formats/chat/message.ts';
import type { ToolOutput } from '../../../formats/chat/tool-calls/tool-call.ts';
import {
  type AnswerEnding,
  createToolCallParser,
  type ToolCallParserOptions,
} from '../../../formats/chat/tool-calls/tool-call-parser.ts';
import type { AnswerEvent } from './answer.ts';

export interface ToolCallsFound {
  readonly type: 'tool-calls';
  readonly calls: readonly MessageToolCall[];
}

export interface CallOptions {
  /** Returns a unique id. */
  readonly newCallId: () => string;
  /** Nothing after the first call is passed on. */
  readonly single: boolean;
}

export function findToolCalls(
  events: AsyncIterable<AnswerEvent>,
  { newCallId, single, ...options }: ToolCallParserOptions & CallOptions,
): AsyncGenerator<AnswerEvent | ToolCallsFound> {
  return splitAnswer(events, createToolCallParser(options), { newCallId, single });
}

type AnswerParts = ToolOutput & { readonly thinking?: string };

export interface AnswerParser {
  /** Adds a piece of the answer; returns the parts that can be sent. */
  push(text: string): AnswerParts;
  /** Ends the answer; returns the remaining parts. */
  finish(ending: AnswerEnding): AnswerParts;
}

export async function* splitAnswer(
  events: AsyncIterable<AnswerEvent>,
  parser: AnswerParser,
  { newCallId, single }: CallOptions,
): AsyncGenerator<AnswerEvent | ToolCallsFound> {
  let hasCalled = false;
  const outputsOf = function* ({ thinking = '', content, calls }: AnswerParts) {
    if (single && hasCalled) return;
    if (thinking !== '') yield { type: 'thinking', text: thinking } as const;
    if (content !== '') yield { type: 'text', text: content } as const;
    if (calls.length === 0) return;
    hasCalled = true;
    const passed = single ? calls.slice(0, 1) : calls;
    yield { type: 'tool-calls', calls: passed.map((call) => ({ id: newCallId(), ...call })) } as const;
  };
  for await (const event of events) {
    // Without yield*, which waits for each item of a synchronous generator.
    if (event.type === 'text') for (const part of outputsOf(parser.push(event.text))) yield part;
    else {
      if (event.type === 'done') yield* outputsOf(parser.finish({ isCut: event.reason === 'length' }));
      yield event;
    }
  }
}
