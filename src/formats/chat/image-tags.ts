// Image tags in a prompt. Each image replaces an [img] of its message, or else precedes the message's text, as [img-N]
// with N counted over the entire conversation. The engine puts the image there.

import type { Message } from './message.ts';

interface TaggedConversation {
  readonly messages: readonly Message[];
  /** Image N belongs to [img-N]. */
  readonly images: readonly Buffer[];
}

/** For a renderer, a space separates tags in front of a message from its text. */
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
