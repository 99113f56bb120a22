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
  /** A JSON schema, as the caller wrote it. Absent: the caller sent none. */
  readonly parameters?: unknown;
  /** Absent: `function`. */
  readonly type?: string;
}

/**
 * Joins consecutive messages of the same role with a blank line between their contents. Tool results stay separate:
 * each belongs to a different call.
 */
export function collate(messages: readonly Message[]): Message[] {
  // Runs are joined at once: joining one by one copies all images and calls again for each message.
  const runs: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    if (run?.[0].role === message.role && message.role !== 'tool') run.push(message);
    else runs.push([message]);
  }
  return runs.map((run) => (run.length === 1 ? run[0] : join(run)));
}

function join(run: readonly Message[]): Message {
  const contents = run.map(({ content }) => content).filter((text) => text !== '');
  const images = run.flatMap((message) => message.images ?? []);
  const toolCalls = run.flatMap((message) => message.toolCalls ?? []);
  const joined: Partial<Message> = {};
  for (const message of run) Object.assign(joined, message);
  return {
    ...(joined as Message),
    content: contents.join('\n\n'),
    ...(images.length > 0 ? { images } : {}),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
}
