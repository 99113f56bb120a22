// Converts the items of a conversation to messages. Consecutive items of the assistant are one message.

import type { ConversationMessage } from '../../../../../inference/model/conversation.ts';
import { createReadArguments, type ReadArguments } from '../../../shared/model-input.ts';
import { invalid, stringOf } from '../../../shared/read-fields.ts';
import { readSummary } from './compaction.ts';
import { readFileSearchCall } from './file-search.ts';
import type { InputItem } from './input-items.ts';
import { readItemContent } from './item-content.ts';
import { readMcpCall, readRefusal } from './mcp-tools.ts';
import { customInputKey, type ToolTable } from './tool-table.ts';

interface MessagesOptions {
  readonly instructions: string | undefined;
  readonly tools: ToolTable;
  /** The conversation is stored here, so a result without its call is an error. Clients may have shortened others. */
  readonly isContinued?: boolean;
}

export function itemsToMessages(
  items: readonly InputItem[],
  { instructions, tools, isContinued = false }: MessagesOptions,
): ConversationMessage[] {
  const context: Context = {
    items,
    tools,
    isContinued,
    callIds: new Set(),
    called: new Map(),
    summaries: new Set(),
    readArguments: createReadArguments(),
  };
  const groups: ConversationMessage[][] = instructions === undefined ? [] : [[systemMessage(instructions)]];
  for (const [index, item] of items.entries()) {
    if (!item.type.endsWith('_output') && typeof item['call_id'] === 'string') context.callIds.add(item['call_id']);
    const reader = Object.hasOwn(readers, item.type) ? readers[item.type] : undefined;
    for (const message of [reader?.(item, `input.${index}`, context) ?? []].flat()) {
      const last = groups.at(-1);
      if (last !== undefined && belongsTo(last, message, groups.length, context)) last.push(message);
      else groups.push([message]);
    }
  }
  return groups.map(joinMessages);
}

interface Context {
  readonly items: readonly InputItem[];
  readonly tools: ToolTable;
  readonly isContinued: boolean;
  /** Names of called tools by the ids of the calls: a result has only the id. */
  readonly called: Map<string, string>;
  /** The ids of all calls before, also of kinds that are ignored. */
  readonly callIds: Set<string>;
  readonly summaries: Set<ConversationMessage>;
  readonly readArguments: ReadArguments;
}

type ItemReader = (
  item: InputItem,
  where: string,
  context: Context,
) => ConversationMessage | ConversationMessage[] | undefined;

function readCompaction(item: InputItem, _where: string, { summaries }: Context): ConversationMessage | undefined {
  const summary = readSummary(item['encrypted_content']);
  if (summary !== undefined) summaries.add(summary);
  return summary;
}

const readers: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  compaction: readCompaction,
  compaction_summary: readCompaction,
  reasoning: readReasoning,
  function_call(item, where, context) {
    const given = item['arguments'] ?? '';
    const values = context.readArguments(typeof given === 'string' && given.trim() === '' ? {} : given);
    if (values === undefined) throw invalid(`${where}.arguments`, 'expected the JSON text of an object');
    return toCallMessage(item, where, context, values);
  },
  custom_tool_call: (item, where, context) =>
    toCallMessage(item, where, context, { [customInputKey]: stringOf(item['input'], `${where}.input`) }),
  function_call_output: readResult,
  custom_tool_call_output: readResult,
  file_search_call: readFileSearchCall,
  mcp_call: (item, _where, { readArguments }) => readMcpCall(item, readArguments),
  mcp_approval_response: (item, _where, { items, readArguments }) => readRefusal(item, items, readArguments),
};

function readMessage(item: InputItem, where: string): ConversationMessage {
  const { text: content, encodedImages } = readItemContent(item['content'], `${where}.content`);
  switch (item['role']) {
    case 'user':
    case 'assistant':
    case 'system':
      return { role: item['role'], content, encodedImages };
    case 'developer':
      return { role: 'system', content, encodedImages };
    default:
      throw invalid(`${where}.role`, 'expected "user", "assistant", "system" or "developer"');
  }
}

// The summary is the text if there is no other. Encrypted content of other servers cannot be read.
function readReasoning(item: InputItem, where: string): ConversationMessage | undefined {
  const full = readItemContent(item['content'], `${where}.content`).text;
  const thinking = full === '' ? readItemContent(item['summary'], `${where}.summary`).text : full;
  return thinking === '' ? undefined : { role: 'assistant', content: '', encodedImages: [], thinking };
}

function toCallMessage(
  item: InputItem,
  where: string,
  { tools, called }: Context,
  values: Readonly<Record<string, unknown>>,
): ConversationMessage {
  const id = stringOf(item['call_id'], `${where}.call_id`);
  const name = tools.offeredName(stringOf(item['name'], `${where}.name`), item['namespace']);
  called.set(id, name);
  return { role: 'assistant', content: '', encodedImages: [], toolCalls: [{ id, name, arguments: values }] };
}

function readResult(item: InputItem, where: string, { called, callIds, isContinued }: Context): ConversationMessage {
  const toolCallId = stringOf(item['call_id'], `${where}.call_id`);
  if (isContinued && !callIds.has(toolCallId))
    throw invalid(`${where}.call_id`, 'no call in the conversation has this id');
  const { text: content, encodedImages } = readItemContent(item['output'], `${where}.output`);
  const toolName = called.get(toolCallId);
  return { role: 'tool', content, encodedImages, toolCallId, ...(toolName === undefined ? {} : { toolName }) };
}

function systemMessage(content: string): ConversationMessage {
  return { role: 'system', content, encodedImages: [] };
}

/** Instructions and the system messages at the start of a conversation are one message, too. */
function belongsTo(
  [first]: readonly ConversationMessage[],
  next: ConversationMessage,
  groups: number,
  { summaries }: Context,
): boolean {
  if (first?.role !== next.role) return false;
  // Many templates refuse two messages of the user in a row.
  if (summaries.has(first)) return true;
  return next.role === 'assistant' || (next.role === 'system' && groups === 1);
}

function joinMessages(messages: readonly ConversationMessage[]): ConversationMessage {
  const [first] = messages as readonly [ConversationMessage, ...ConversationMessage[]];
  if (messages.length === 1) return first;
  const thinking = joinTexts(messages.map((message) => message.thinking));
  const toolCalls = messages.flatMap((message) => message.toolCalls ?? []);
  return {
    role: first.role,
    content: joinTexts(messages.map(({ content }) => content)),
    encodedImages: messages.flatMap(({ encodedImages }) => encodedImages),
    ...(thinking === '' ? {} : { thinking }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

function joinTexts(texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join('\n\n');
}
