// Ids of tool calls. Many clients send none, and some templates fail without, or accept only nine letters and digits
// (the models of Mistral). So every call gets one, and every answer of a tool the one of its call.

import { isRecord, type JinjaMessage } from './jinja-message.ts';

interface OpenCall {
  readonly id: string;
  readonly name: unknown;
}

export function withCallIds(messages: readonly JinjaMessage[], source: string): readonly JinjaMessage[] {
  const isUsable = asksForNine(source) ? (id: string) => /^[a-zA-Z0-9]{9}$/.test(id) : (id: string) => id !== '';
  const renamed = new Map<string, string>();
  let open: OpenCall[] = [];
  let made = 0;

  function nameOf(given: unknown): string {
    const id = typeof given === 'string' ? given : '';
    if (isUsable(id)) return id;
    const known = id === '' ? undefined : renamed.get(id);
    const name = known ?? `call${String(made++).padStart(5, '0')}`;
    if (id !== '') renamed.set(id, name);
    return name;
  }

  function withIds(calls: readonly unknown[]): unknown[] {
    const named = calls.map((call) => (isRecord(call) ? { ...call, id: nameOf(call['id']) } : call));
    open = named.filter(isRecord).map((call) => ({ id: call['id'] as string, name: functionNameOf(call) }));
    return named;
  }

  function answerOf(message: JinjaMessage): JinjaMessage {
    const given = message['tool_call_id'];
    const call = given
      ? open.find(({ id }) => id === nameOf(given))
      : (open.find(({ name }) => name === message['name']) ?? open[0]);
    open = open.filter((other) => other !== call);
    const id = call?.id ?? nameOf(given);
    return { ...message, tool_call_id: id, ...(message['name'] || !call?.name ? {} : { name: call.name }) };
  }

  return messages.map((message) => {
    const calls = message['tool_calls'];
    if (Array.isArray(calls)) return { ...message, tool_calls: withIds(calls) };
    return message['role'] === 'tool' ? answerOf(message) : message;
  });
}

function asksForNine(source: string): boolean {
  return /length\s*(!=|==)\s*9\b/.test(source);
}

function functionNameOf(call: Readonly<Record<string, unknown>>): unknown {
  return isRecord(call['function']) ? call['function']['name'] : undefined;
}
