// Separates the content of an answer from its tool calls.

import type { MessageToolCall } from '../../../formats/chat/message.ts';
import { createToolCallParser, type ToolCallParserOptions } from '../../../formats/chat/tool-calls/tool-call-parser.ts';
import type { AnswerEvent } from './answer.ts';

export interface ToolCallsFound {
  readonly type: 'tool-calls';
  readonly calls: readonly MessageToolCall[];
}

export interface FindToolCallsOptions extends ToolCallParserOptions {
  /** Returns a unique id. */
  readonly newCallId: () => string;
  /** Nothing after the first call is passed on. */
  readonly single: boolean;
}

export async function* findToolCalls(
  events: AsyncIterable<AnswerEvent>,
  { newCallId, single, ...options }: FindToolCallsOptions,
): AsyncGenerator<AnswerEvent | ToolCallsFound> {
  const parser = createToolCallParser(options);
  let hasCalled = false;
  const outputsOf = function* ({ content, calls }: ReturnType<typeof parser.push>) {
    if (single && hasCalled) return;
    if (content !== '') yield { type: 'text', text: content } as const;
    if (calls.length === 0) return;
    hasCalled = true;
    const passed = single ? calls.slice(0, 1) : calls;
    yield { type: 'tool-calls', calls: passed.map((call) => ({ id: newCallId(), ...call })) } as const;
  };
  for await (const event of events) {
    if (event.type === 'text') yield* outputsOf(parser.push(event.text));
    else {
      if (event.type === 'done') yield* outputsOf(parser.finish());
      yield event;
    }
  }
}
