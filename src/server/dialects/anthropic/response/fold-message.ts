// All events of a message as one object.

import { HearthError } from '../../../../base/errors.ts';
import type { BlockDelta, MessageEvent, MessageResponseBody, ResponseBlock } from './messages-response-schema.ts';

export async function foldMessage(events: AsyncIterable<MessageEvent>): Promise<MessageResponseBody> {
  let message: MessageResponseBody | undefined;
  let isComplete = false;
  const blocks: ResponseBlock[] = [];
  // Deltas of the current block. Joined at once: texts have many of them.
  let deltas: BlockDelta[] = [];
  for await (const event of events) {
    if (event.type === 'message_start') message = event.message;
    if (event.type === 'content_block_start') blocks.push(event.content_block);
    if (event.type === 'content_block_delta') deltas.push(event.delta);
    if (event.type === 'content_block_stop') {
      blocks.push(joinDeltas(blocks.pop() as ResponseBlock, deltas));
      deltas = [];
    }
    if (event.type === 'message_delta' && message !== undefined)
      message = { ...message, ...event.delta, usage: { ...message.usage, ...event.usage } };
    isComplete ||= event.type === 'message_stop';
  }
  if (message === undefined || !isComplete) throw new HearthError('internal', 'a message ended without its last event');
  return { ...message, content: blocks };
}

function joinDeltas(block: ResponseBlock, deltas: readonly BlockDelta[]): ResponseBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: deltas.map((delta) => ('text' in delta ? delta.text : '')).join('') };
    case 'thinking':
      return { ...block, thinking: deltas.map((delta) => ('thinking' in delta ? delta.thinking : '')).join('') };
    case 'mcp_tool_result':
      return block;
    case 'mcp_tool_use':
    case 'tool_use': {
      const json = deltas.map((delta) => ('partial_json' in delta ? delta.partial_json : '')).join('');
      return { ...block, input: JSON.parse(json) as Record<string, unknown> };
    }
  }
}
