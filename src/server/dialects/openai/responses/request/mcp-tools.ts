// Tools of the type mcp, and the items of their calls.

import { HearthError } from '../../../../../base/errors.ts';
import type { ConversationMessage } from '../../../../../inference/model/conversation.ts';
import { type ServerChoice, toOfferedName } from '../../../../services/tools/offered-tools.ts';
import type { ServerCall } from '../../../../services/tools/tool-server.ts';
import type { ReadArguments } from '../../../shared/model-input.ts';
import { type Fields, invalid, objectOf, stringOf } from '../../../shared/read-fields.ts';
import { readApproval, readToolFilter, refusalText } from '../../../shared/tool-filters.ts';
import type { InputItem } from './input-items.ts';

/** Without an address, the label is the name of a listed server. */
export function readMcpTool(fields: Fields, where: string): ServerChoice {
  const name = stringOf(fields['server_label'], `${where}.server_label`);
  if (fields['connector_id'] !== undefined)
    throw new HearthError('unsupported', `${where}.connector_id: this server has no connectors`);
  return {
    name,
    address: readAddress(fields, where),
    allows: readToolFilter(fields['allowed_tools'], `${where}.allowed_tools`),
    // As OpenAI does, every call needs an approval if the request does not say otherwise.
    needsApproval: readApproval(fields['require_approval'], `${where}.require_approval`, 'always'),
  };
}

function readAddress({ server_url: url, headers, authorization }: Fields, where: string): ServerChoice['address'] {
  if (url === undefined) return undefined;
  const text = stringOf(url, `${where}.server_url`);
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw invalid(`${where}.server_url`, 'expected an https address');
  const given = objectOf(headers ?? {}, `${where}.headers`);
  const own = Object.entries(given).map(([name, value]) => [name, stringOf(value, `${where}.headers.${name}`)]);
  const token = authorization === undefined ? undefined : stringOf(authorization, `${where}.authorization`);
  const all = { ...Object.fromEntries(own), ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return { url: text, headers: all };
}

/** Calls that the items approve and that no item has the result of. */
export function readApproved(items: readonly InputItem[], readArguments: ReadArguments): ServerCall[] {
  const isRun = new Set(items.filter(({ type }) => type === 'mcp_call').map((item) => item['approval_request_id']));
  return items
    .filter((item) => item.type === 'mcp_approval_response' && item['approve'] === true)
    .filter((item) => !isRun.has(item['approval_request_id']))
    .map((item) => toCall(findRequest(items, item), readArguments));
}

function findRequest(items: readonly InputItem[], response: InputItem): InputItem {
  const wanted = response['approval_request_id'];
  const found = items.find(({ type, id }) => type === 'mcp_approval_request' && id === wanted);
  if (found === undefined) throw invalid('approval_request_id', 'no item in the conversation has this id');
  return found;
}

function toCall(item: InputItem, readArguments: ReadArguments): ServerCall {
  const values = readArguments(item['arguments'] ?? {});
  if (values === undefined) throw invalid('arguments', 'expected the JSON text of an object');
  return {
    id: `call_${item.id}`,
    server: stringOf(item['server_label'], 'server_label'),
    tool: stringOf(item['name'], 'name'),
    values,
    approval: item.type === 'mcp_approval_request' ? item.id : undefined,
  };
}

/** A call with its result, as messages. */
export function readMcpCall(item: InputItem, readArguments: ReadArguments): ConversationMessage[] {
  const text = item['error'] ?? item['output'];
  return toMessages(toCall(item, readArguments), typeof text === 'string' ? text : '');
}

/** What the model sees of an approval: nothing, unless the call was refused. */
export function readRefusal(
  item: InputItem,
  items: readonly InputItem[],
  readArguments: ReadArguments,
): ConversationMessage[] {
  if (item['approve'] === true) return [];
  const { reason } = item;
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  return toMessages(toCall(findRequest(items, item), readArguments), `${refusalText}${why}`);
}

function toMessages({ id, tool, values }: ServerCall, content: string): ConversationMessage[] {
  const name = toOfferedName(tool);
  return [
    { role: 'assistant', content: '', encodedImages: [], toolCalls: [{ id, name, arguments: values }] },
    { role: 'tool', content, encodedImages: [], toolCallId: id, toolName: name },
  ];
}
