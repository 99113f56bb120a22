// A message of a conversation, the tools that a model may call, and image tags.

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

interface TaggedConversation {
  readonly messages: readonly Message[];
  /** Image N belongs to [img-N]. */
  readonly images: readonly Buffer[];
}

/**
 * Each image replaces an [img] of its message, or else precedes the message's text, as [img-N] with N counted over the
 * entire conversation. The engine puts the image there. For a renderer, a space separates the tags in front of a
 * message from its text.
 */
export function tagImages(
  messages: readonly Message[],
  { isRendered = false }: { readonly isRendered?: boolean } = {},
): TaggedConversation {
  const gap = isRendered ? ' ' : '';
  const images: Buffer[] = [];
  const tagged = messages.map((message): Message => {
    const own = message.images ?? [];
    if (own.length === 0) return message;
    const content = insertTags(
      message.content,
      own.map((_, index) => `[img-${images.length + index}]`),
      gap,
    );
    for (const image of own) images.push(image);
    return { ...message, content };
  });
  return { messages: tagged, images };
}

const placeholder = '[img]';

/** Reads the content once, however many images there are. */
function insertTags(content: string, tags: readonly string[], gap: string): string {
  const parts: string[] = [];
  let from = 0;
  let used = 0;
  while (used < tags.length) {
    const at = content.indexOf(placeholder, from);
    if (at === -1) break;
    parts.push(content.slice(from, at), tags[used] as string);
    from = at + placeholder.length;
    used++;
  }
  const text = [...parts, content.slice(from)].join('');
  const isSeparate = used === tags.length || /^(?:\s|$)/.test(text);
  return tags.slice(used).join('') + (isSeparate ? '' : gap) + text;
}
