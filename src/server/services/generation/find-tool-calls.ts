// Separates the content of an answer from its tool calls.

import type { MessageToolCall } from '../../../formats/chat/message.ts';
import { createToolCallParser, type ToolCallParserOptions } from '../../../formats/chat/tool-calls/tool-call-parser.ts';
import type { AnswerEvent } from './answer.ts';

export interface ToolCallsFound {
  readonly type: 'tool-calls';
  readonly calls: readonly MessageToolCall[];
}

/** `newCallId` returns a unique id. */
export async function* findToolCalls(
  events: AsyncIterable<AnswerEvent>,
  { newCallId, ...options }: ToolCallParserOptions & { readonly newCallId: () => string },
): AsyncGenerator<AnswerEvent | ToolCallsFound> {
  const parser = createToolCallParser(options);
  const outputsOf = function* ({ content, calls }: ReturnType<typeof parser.push>) {
    if (content !== '') yield { type: 'text', text: content } as const;
    if (calls.length > 0)
      yield { type: 'tool-calls', calls: calls.map((call) => ({ id: newCallId(), ...call })) } as const;
  };
  for await (const event of events) {
    if (event.type === 'text') yield* outputsOf(parser.push(event.text));
    else {
      if (event.type === 'done') yield* outputsOf(parser.finish());
      yield event;
    }
  }
}
