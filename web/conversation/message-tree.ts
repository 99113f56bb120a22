// The tree of messages of a conversation. Messages never change, except for a message that is being continued.

import type { ChatDocument, TreeMessage } from './chat-document.ts';

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

type MessageTree = Pick<ChatDocument, 'messages' | 'deleted' | 'leaf'>;

/** Both copies of a conversation that was changed in two places. `ours` wins where both have a message, unless only theirs is complete. */
export function mergeDocuments(theirs: MessageTree, ours: MessageTree): MessageTree {
  const deleted = [...new Set([...(theirs.deleted ?? []), ...(ours.deleted ?? [])])];
  const merged = new Map(theirs.messages.map((message) => [message.id, message]));
  for (const message of ours.messages) {
    const other = merged.get(message.id);
    if (other === undefined || !isUnfinished(message) || isUnfinished(other)) merged.set(message.id, message);
  }
  const rest = { messages: [...merged.values()], deleted: undefined, leaf: ours.leaf };
  return deleted.length === 0 ? rest : withoutMessages(rest, new Set(deleted));
}

/** Another page may know nothing of them yet. */
const maxDeleted = 1000;

/** Shows the newest branch that is left, if the end of the one that was shown is gone. */
export function withoutMessages({ messages, deleted = [], leaf }: MessageTree, ids: ReadonlySet<string>): MessageTree {
  // An answer can have been added to a message while another page deleted it.
  const gone = new Set(ids);
  for (const { id, parent } of messages) if (parent !== null && gone.has(parent)) gone.add(id);
  const left = messages.filter(({ id }) => !gone.has(id));
  const end = pathTo(messages, leaf).findLast(({ id }) => !gone.has(id))?.id;
  return {
    messages: left,
    deleted: [...new Set([...deleted, ...gone])].slice(-maxDeleted),
    leaf: leaf !== undefined && gone.has(leaf) ? newestLeafOf(left, end) : leaf,
  };
}

/** Without `from`: of all branches. */
function newestLeafOf(messages: readonly TreeMessage[], from: string | undefined): string | undefined {
  return from === undefined ? messages.at(-1)?.id : newestLeaf(messages, from);
}

/** The last answer that had not arrived when the conversation was stored. */
export function findUnfinished(messages: readonly TreeMessage[]): TreeMessage | undefined {
  return messages.findLast(isUnfinished);
}

function isUnfinished({ request }: TreeMessage): boolean {
  return request !== undefined;
}
