// A message of a conversation, and the tools that a model may call.

export interface Message {
  readonly role: string;
  readonly content: string;
  /** Image files. */
  readonly images?: readonly Buffer[];
  /** Calls that the assistant made in this message. */
  readonly toolCalls?: readonly MessageToolCall[];
  readonly thinking?: string;
  /** In a tool result: the tool, and the id of the call. */
  readonly toolName?: string;
  readonly toolCallId?: string;
}

export interface MessageToolCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema, as the caller wrote it. */
  readonly parameters: unknown;
  /** The complete tool as the caller sent it, which most templates show to the model. */
  readonly wire: unknown;
}

/**
 * Joins consecutive messages of the same role with a blank line between their contents. Tool results stay separate:
 * each belongs to a different call.
 */
export function collate(messages: readonly Message[]): Message[] {
  const collated: Message[] = [];
  for (const message of messages) {
    const last = collated.at(-1);
    if (last?.role === message.role && message.role !== 'tool') collated[collated.length - 1] = join(last, message);
    else collated.push(message);
  }
  return collated;
}

function join(first: Message, second: Message): Message {
  const content = [first.content, second.content].filter((text) => text !== '').join('\n\n');
  const images = [...(first.images ?? []), ...(second.images ?? [])];
  const toolCalls = [...(first.toolCalls ?? []), ...(second.toolCalls ?? [])];
  return {
    ...first,
    ...second,
    content,
    ...(images.length > 0 ? { images } : {}),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
}
