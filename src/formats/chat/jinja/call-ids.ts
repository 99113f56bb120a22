// Ids of tool calls. Many clients send none, and some templates fail without them or accept only nine letters and
// digits (Mistral models). So every call gets an id, and every tool result gets the id of its call.

import { isObject } from '../../../base/json-values.ts';

interface OpenCall {
  readonly id: string;
  readonly name: unknown;
  isAnswered: boolean;
}

export function withCallIds(messages: readonly JinjaMessage[], source: string): readonly JinjaMessage[] {
  const isUsable = requiresNineCharacters(source)
    ? (id: string) => /^[a-zA-Z0-9]{9}$/.test(id)
    : (id: string) => id !== '';
  const replaced = new Map<string, string>();
  let open = indexCalls([]);
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
    const withId = calls.map((call) => (isObject(call) ? { ...call, id: idFor(call['id']) } : call));
    open = indexCalls(withId.filter(isObject));
    return withId;
  }

  function withCallId(message: JinjaMessage): JinjaMessage {
    const given = message['tool_call_id'];
    const givenId = given ? idFor(given) : undefined;
    const call = givenId === undefined ? open.takeByName(message['name']) : open.takeById(givenId);
    const id = call?.id ?? givenId ?? idFor(undefined);
    return { ...message, tool_call_id: id, ...(message['name'] || !call?.name ? {} : { name: call.name }) };
  }

  return messages.map((message) => {
    const calls = message['tool_calls'];
    if (Array.isArray(calls)) return { ...message, tool_calls: withIds(calls) };
    return message['role'] === 'tool' ? withCallId(message) : message;
  });
}

/** Finds the calls that have no result yet. Each call is looked at once per index, also in long lists. */
function indexCalls(calls: readonly Readonly<Record<string, unknown>>[]) {
  const all = calls.map(
    (call): OpenCall => ({ id: call['id'] as string, name: functionNameOf(call), isAnswered: false }),
  );
  const byId = queuesBy(all, ({ id }) => id);
  const byName = queuesBy(all, ({ name }) => name);
  const inOrder = createQueue(all);
  const take = (call: OpenCall | undefined): OpenCall | undefined => {
    if (call) call.isAnswered = true;
    return call;
  };
  return {
    takeById: (id: string): OpenCall | undefined => take(byId.get(id)?.()),
    /** The first call of this function, or else the first call. */
    takeByName: (name: unknown): OpenCall | undefined => take(byName.get(name)?.() ?? inOrder()),
  };
}

/** Returns the first open call. */
type CallQueue = () => OpenCall | undefined;

function createQueue(calls: readonly OpenCall[]): CallQueue {
  let next = 0;
  return () => {
    while (calls[next]?.isAnswered) next++;
    return calls[next];
  };
}

function queuesBy(calls: readonly OpenCall[], keyOf: (call: OpenCall) => unknown): Map<unknown, CallQueue> {
  const groups = new Map<unknown, OpenCall[]>();
  for (const call of calls) {
    const group = groups.get(keyOf(call));
    if (group) group.push(call);
    else groups.set(keyOf(call), [call]);
  }
  return new Map([...groups].map(([key, group]) => [key, createQueue(group)]));
}

function requiresNineCharacters(source: string): boolean {
  return /length\s{0,20}(!=|==)\s{0,20}9\b/.test(source);
}

function functionNameOf(call: Readonly<Record<string, unknown>>): unknown {
  return isObject(call['function']) ? call['function']['name'] : undefined;
}

export type JinjaMessage = Readonly<Record<string, unknown>>;

export function messagesIn(data: Readonly<Record<string, unknown>>): readonly JinjaMessage[] {
  const messages = data['messages'];
  return Array.isArray(messages) ? messages.filter(isObject) : [];
}
