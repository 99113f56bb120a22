// The tree of messages of a conversation. Messages never change, except for a message that is being continued.

import type { TreeMessage } from './chat-document.ts';

/** The messages from the first one to `leaf`. */
export function pathTo(messages: readonly TreeMessage[], leaf: string | undefined): TreeMessage[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const path: TreeMessage[] = [];
  let next = leaf === undefined ? undefined : byId.get(leaf);
  // A document of another program may contain a cycle.
  while (next !== undefined && path.length < messages.length) {
    path.push(next);
    next = next.parent === null ? undefined : byId.get(next.parent);
  }
  return path.reverse();
}

/** The answers to each message, in the order in which they were added; the key null has the beginnings. */
export function groupByParent(messages: readonly TreeMessage[]): ReadonlyMap<string | null, readonly TreeMessage[]> {
  const groups = new Map<string | null, TreeMessage[]>();
  for (const message of messages) {
    const group = groups.get(message.parent);
    if (group === undefined) groups.set(message.parent, [message]);
    else group.push(message);
  }
  return groups;
}

/** The end of the newest branch that contains a message. */
export function newestLeaf(messages: readonly TreeMessage[], from: string): string {
  const groups = groupByParent(messages);
  let leaf = from;
  for (let steps = 0; steps < messages.length; steps++) {
    const newest = groups.get(leaf)?.at(-1);
    if (newest === undefined) return leaf;
    leaf = newest.id;
  }
  return leaf;
}

/** Replaces a message, or adds it. */
export function putMessage(messages: readonly TreeMessage[], message: TreeMessage): TreeMessage[] {
  const index = messages.findIndex(({ id }) => id === message.id);
  return index === -1 ? [...messages, message] : messages.with(index, message);
}

/** All messages of two copies that were changed independently. `ours` wins where both have a message, unless only theirs is complete. */
export function mergeMessages(theirs: readonly TreeMessage[], ours: readonly TreeMessage[]): TreeMessage[] {
  const merged = new Map(theirs.map((message) => [message.id, message]));
  for (const message of ours) {
    const other = merged.get(message.id);
    if (other === undefined || !isUnfinished(message) || isUnfinished(other)) merged.set(message.id, message);
  }
  return [...merged.values()];
}

/** The last answer that had not arrived when the conversation was stored. */
export function findUnfinished(messages: readonly TreeMessage[]): TreeMessage | undefined {
  return messages.findLast(isUnfinished);
}

function isUnfinished({ request }: TreeMessage): boolean {
  return request !== undefined;
}
