// The items of a request as they are stored: objects with a type and an id.

import { type Fields, invalid, objectOf } from '../../../shared/read-fields.ts';

/** In wire format; only the type is checked. */
export interface InputItem extends Fields {
  readonly type: string;
  readonly id: string;
}

/** A string is a message of the user. An item without a type is a message if it has a role, otherwise a reference. */
export function readInputItems(input: unknown, newId: (prefix: string) => string): InputItem[] {
  if (input === undefined) return [];
  if (typeof input === 'string') return [toItem({ role: 'user', content: input }, 'input', newId)];
  if (!Array.isArray(input)) throw invalid('input', 'expected a string or an array of items');
  return input.map((item, index) => toItem(objectOf(item, `input.${index}`), `input.${index}`, newId));
}

const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  compaction: 'cmp',
  file_search_call: 'fs',
  mcp_call: 'mcp',
  mcp_list_tools: 'mcpl',
  mcp_approval_request: 'mcpr',
  mcp_approval_response: 'mcprr',
};

function toItem(fields: Fields, where: string, newId: (prefix: string) => string): InputItem {
  const type = fields['type'] ?? implicitType(fields);
  if (typeof type !== 'string') throw invalid(`${where}.type`, 'expected a string');
  const given = fields['id'];
  const prefix = Object.hasOwn(idPrefixes, type) ? idPrefixes[type] : undefined;
  const id = typeof given === 'string' && given !== '' ? given : newId(prefix ?? 'item');
  return type === 'message' ? toMessageItem({ ...fields, type, id }) : { ...fields, type, id };
}

function implicitType({ role, id }: Fields): string | undefined {
  if (role !== undefined) return 'message';
  return typeof id === 'string' ? 'item_reference' : undefined;
}

/** Content as parts, as in a list of input items. */
function toMessageItem(item: InputItem): InputItem {
  const { content } = item;
  const kind = item['role'] === 'assistant' ? 'output_text' : 'input_text';
  const parts = typeof content === 'string' ? [{ type: kind, text: content }] : content;
  return { ...item, content: parts, status: item['status'] ?? 'completed' };
}

/** Ids of the items that an input refers to instead of repeating them. */
export function referencedIds(items: readonly InputItem[]): Set<string> {
  return new Set(items.filter(({ type }) => type === 'item_reference').map(({ id }) => id));
}
