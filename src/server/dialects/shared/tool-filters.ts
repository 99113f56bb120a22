// Which tools of a server a request offers, and which of their calls need an approval: the fields that OpenAI's API has.

import type { ServerTool } from '../../services/tools/tool-server.ts';
import { type Fields, invalid, objectOf } from './read-fields.ts';

type ToolFilter = (tool: ServerTool) => boolean;

/** Names, or an object with `tool_names` and `read_only`. Absent: undefined. */
export function readToolFilter(value: unknown, where: string): ToolFilter | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = Array.isArray(value) ? { tool_names: value } : objectOf(value, where);
  const { tool_names: names, read_only: readOnly } = fields as Fields;
  if (names !== undefined && !Array.isArray(names)) throw invalid(where, 'expected names of tools');
  const known = names === undefined ? undefined : new Set(names as readonly unknown[]);
  return ({ name, isReadOnly = false }) =>
    (known?.has(name) ?? true) && (typeof readOnly !== 'boolean' || readOnly === isReadOnly);
}

/** `byDefault`: without the field. */
export function readApproval(value: unknown, where: string, byDefault: 'always' | 'never'): ToolFilter {
  const given = value ?? byDefault;
  if (given === 'never') return () => false;
  if (given === 'always') return () => true;
  const { always, never } = objectOf(given, where);
  const isAlways = readToolFilter(always, `${where}.always`);
  const isNever = readToolFilter(never, `${where}.never`);
  return (tool) => (isAlways?.(tool) ?? false) || !(isNever?.(tool) ?? false);
}

/** What a model gets instead of the result of a call that was refused. */
export const refusalText = 'The user did not allow this call';
