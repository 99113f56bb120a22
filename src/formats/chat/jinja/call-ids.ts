// Ids of tool calls. Many clients send none, and some templates fail without them or accept only nine letters and
// digits (Mistral models). So every call gets an id, and every tool result gets the id of its call.

import { isRecord, type JinjaMessage } from './jinja-message.ts';

interface OpenCall {
  readonly id: string;
  readonly name: unknown;
}

export function withCallIds(messages: readonly JinjaMessage[], source: string): readonly JinjaMessage[] {
  const isUsable = requiresNineCharacters(source)
    ? (id: string) => /^[a-zA-Z0-9]{9}$/.test(id)
    : (id: string) => id !== '';
  const replaced = new Map<string, string>();
  let open: OpenCall[] = [];
  let created = 0;

  function idFor(given: unknown): string {
    const id = typeof given === 'string' ? given : '';
    if (isUsable(id)) return id;
    const replacement = id === '' ? undefined : replaced.get(id);
    const usable = replacement ?? `call${String(created++).padStart(5, '0')}`;
    if (id !== '') replaced.set(id, usable);
    return usable;
  }

  function withIds(calls: readonly unknown[]): unknown[] {
    const withId = calls.map((call) => (isRecord(call) ? { ...call, id: idFor(call['id']) } : call));
    open = withId.filter(isRecord).map((call) => ({ id: call['id'] as string, name: functionNameOf(call) }));
    return withId;
  }

  function withCallId(message: JinjaMessage): JinjaMessage {
    const given = message['tool_call_id'];
    const call = given
      ? open.find(({ id }) => id === idFor(given))
      : (open.find(({ name }) => name === message['name']) ?? open[0]);
    open = open.filter((other) => other !== call);
    const id = call?.id ?? idFor(given);
    return { ...message, tool_call_id: id, ...(message['name'] || !call?.name ? {} : { name: call.name }) };
  }

  return messages.map((message) => {
    const calls = message['tool_calls'];
    if (Array.isArray(calls)) return { ...message, tool_calls: withIds(calls) };
    return message['role'] === 'tool' ? withCallId(message) : message;
  });
}

function requiresNineCharacters(source: string): boolean {
  return /length\s*(!=|==)\s*9\b/.test(source);
}

function functionNameOf(call: Readonly<Record<string, unknown>>): unknown {
  return isRecord(call['function']) ? call['function']['name'] : undefined;
}
