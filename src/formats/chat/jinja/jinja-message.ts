// A message as Jinja templates see it: role, content, tool_calls, tool_call_id and fields of the model.

export type JinjaMessage = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function messagesIn(data: Readonly<Record<string, unknown>>): readonly JinjaMessage[] {
  const messages = data['messages'];
  return Array.isArray(messages) ? messages.filter(isRecord) : [];
}
