// A turn of a conversation, and the tools that a model may call in it.

export interface Message {
  readonly role: string;
  readonly content: string;
  /** Pictures that belong to it, as the bytes of their files. */
  readonly images?: readonly Buffer[];
  /** Calls that the assistant made in this turn. */
  readonly toolCalls?: readonly MessageToolCall[];
  readonly thinking?: string;
  /** In an answer of a tool: which tool, and which call it answers. */
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
  /** The whole tool as it came, which is what most templates show to the model. */
  readonly wire: unknown;
}

/**
 * Neighbours of the same role become one, with a blank line between their contents. Answers of tools stay apart: each
 * belongs to a call of its own.
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
