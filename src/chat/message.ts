// A turn of a conversation, as templates see it.

export interface Message {
  readonly role: string;
  readonly content: string;
}

/** Neighbours of the same role become one, with a blank line between their contents. */
export function collate(messages: readonly Message[]): Message[] {
  const collated: Message[] = [];
  for (const message of messages) {
    const last = collated.at(-1);
    if (last?.role === message.role) {
      collated[collated.length - 1] = { role: last.role, content: `${last.content}\n\n${message.content}` };
    } else {
      collated.push(message);
    }
  }
  return collated;
}
