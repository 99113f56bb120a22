// Image tags in a prompt. Each image replaces an [img] of its message, or else precedes the message's text, as [img-N]
// with N counted over the entire conversation. The engine puts the image there.

import type { Message } from './message.ts';

export interface TaggedConversation {
  readonly messages: readonly Message[];
  /** Image N belongs to [img-N]. */
  readonly images: readonly Buffer[];
}

export function tagImages(messages: readonly Message[]): TaggedConversation {
  const images: Buffer[] = [];
  const tagged = messages.map((message): Message => {
    const own = message.images ?? [];
    if (own.length === 0) return message;
    let { content } = message;
    let front = '';
    for (const image of own) {
      const tag = `[img-${images.length}]`;
      images.push(image);
      if (content.includes('[img]')) content = content.replace('[img]', () => tag);
      else front += tag;
    }
    return { ...message, content: front + content };
  });
  return { messages: tagged, images };
}
