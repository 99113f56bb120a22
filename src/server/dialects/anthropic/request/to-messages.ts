// Converts the system prompt and the messages of a request to the messages of the chat service.

import { HearthError } from '../../../../base/errors.ts';
import type { ConversationMessage } from '../../../../inference/model/conversation.ts';
import { toOfferedName } from '../../../services/tools/offered-tools.ts';
import { type ContentBlock, readBlocks } from './content-blocks.ts';
import type { CountTokensRequestBody } from './messages-request-schema.ts';

type BlockOf<Type> = Extract<ContentBlock, { type: Type }>;

export function toConversationMessages({ system, messages = [] }: CountTokensRequestBody): ConversationMessage[] {
  if (messages.length === 0) throw new HearthError('bad_request', 'messages: at least one message is required');
  // A tool result has the id of its call; the name of the tool is in the call.
  const called = new Map<string, string>();
  const own = readSystem(system);
  return [
    ...(own === '' ? [] : [{ role: 'system', content: own, encodedImages: [] }]),
    ...messages.flatMap(({ role, content }, index) => {
      const blocks = readBlocks(content, `messages.${index}.content`);
      for (const { id, name } of blocksOf(blocks, 'tool_use')) called.set(id, name);
      for (const { id, name } of blocksOf(blocks, 'mcp_tool_use')) called.set(id, toOfferedName(name));
      if (role === 'assistant') return splitAtResults(blocks).flatMap((part) => toAssistantMessages(part, called));
      if (role === 'user') return toUserMessages(blocks, called);
      if (role === 'system') return [{ role, ...toContent(blocks) }];
      throw new HearthError('bad_request', `messages.${index}.role: expected "user", "assistant" or "system"`);
    }),
  ];
}

// Claude Code writes a block with a value that changes with every request. No prompt would share a prefix with another.
const billingHeader = 'x-anthropic-billing-header:';

function readSystem(system: unknown): string {
  const blocks = blocksOf(readBlocks(system, 'system'), 'text');
  const [first, ...others] = blocks;
  const isBilling = first?.text.trimStart().toLowerCase().startsWith(billingHeader) ?? false;
  return joinTexts(isBilling ? others : blocks);
}

/** An answer with calls that the server ran has several rounds, each of which ends with results. */
function splitAtResults(blocks: readonly ContentBlock[]): readonly (readonly ContentBlock[])[] {
  const isResult = (index: number): boolean => blocks[index]?.type === 'mcp_tool_result';
  const ends = blocks.flatMap((_, index) => (isResult(index) && !isResult(index + 1) ? [index + 1] : []));
  if (ends.at(-1) !== blocks.length) ends.push(blocks.length);
  return ends.map((end, index) => blocks.slice(ends[index - 1] ?? 0, end));
}

function toAssistantMessages(
  blocks: readonly ContentBlock[],
  called: ReadonlyMap<string, string>,
): ConversationMessage[] {
  const results = blocksOf(blocks, 'mcp_tool_result').map((result) => toToolMessage(result, called));
  return [toAssistantMessage(blocks), ...results];
}

function toAssistantMessage(blocks: readonly ContentBlock[]): ConversationMessage {
  const thinking = blocksOf(blocks, 'thinking').map((block) => block.thinking);
  const toolCalls = [
    ...blocksOf(blocks, 'mcp_tool_use').map(({ id, name, input }) => ({
      id,
      name: toOfferedName(name),
      arguments: input,
    })),
    ...blocksOf(blocks, 'tool_use').map(({ id, name, input }) => ({ id, name, arguments: input })),
  ];
  return {
    role: 'assistant',
    ...toContent(blocks),
    ...(thinking.length === 0 ? {} : { thinking: thinking.join('\n\n') }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

/** Results come first: they answer the calls of the message before. */
function toUserMessages(blocks: readonly ContentBlock[], called: ReadonlyMap<string, string>): ConversationMessage[] {
  const results = blocksOf(blocks, 'tool_result').map((result) => toToolMessage(result, called));
  const content = toContent(blocks);
  const isEmpty = content.content === '' && content.encodedImages.length === 0;
  return isEmpty && results.length > 0 ? results : [...results, { role: 'user', ...content }];
}

function toToolMessage(
  { id, isError, content: blocks }: BlockOf<'tool_result'> | BlockOf<'mcp_tool_result'>,
  called: ReadonlyMap<string, string>,
): ConversationMessage {
  const { content, encodedImages } = toContent(blocks);
  const toolName = called.get(id);
  return {
    role: 'tool',
    content: isError ? `Error: ${content}` : content,
    encodedImages,
    toolCallId: id,
    ...(toolName === undefined ? {} : { toolName }),
  };
}

function toContent(blocks: readonly ContentBlock[]): Pick<ConversationMessage, 'content' | 'encodedImages'> {
  return {
    content: joinTexts(blocksOf(blocks, 'text')),
    encodedImages: blocksOf(blocks, 'image').map(({ encodedImage }) => encodedImage),
  };
}

function joinTexts(blocks: readonly BlockOf<'text'>[]): string {
  return blocks.map(({ text }) => text).join('\n\n');
}

function blocksOf<Type extends ContentBlock['type']>(blocks: readonly ContentBlock[], type: Type): BlockOf<Type>[] {
  return blocks.filter((block): block is BlockOf<Type> => block.type === type);
}
