// Exports of other programs as conversations of this server: ChatGPT's conversations.json, and the chats of Open WebUI. A file
// of another form is left to the server. Every value of a file may be missing or wrong.

import { newId, type TreeMessage, titleFrom } from '../conversation/chat-document.ts';
import { t } from '../language/language.ts';

interface ImportedChat {
  readonly id: string;
  readonly title: string;
  readonly model: string;
  readonly messages: readonly TreeMessage[];
  readonly leaf?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
}

type Values = Readonly<Record<string, unknown>>;

/** undefined: the file is none of these exports. */
export function convertExport(value: unknown): readonly ImportedChat[] | undefined {
  const entries = (Array.isArray(value) ? value : []).map(toValues);
  if (entries.length === 0) return undefined;
  if (entries.every(({ mapping }) => isObject(mapping))) return entries.map(fromChatGpt);
  if (entries.every(({ chat }) => isObject(chat))) return entries.map(fromOpenWebUi);
  return undefined;
}

/** A message of another program, before it has a place in the tree. */
interface ForeignMessage {
  readonly id: string;
  readonly parent: string | undefined;
  readonly role: string;
  readonly content: string;
  readonly model: string;
  /** Seconds since the epoch; 0 if it is not known. */
  readonly time: number;
}

/** `mapping` is a tree whose nodes can be empty, and can have roles that are not shown here. */
function fromChatGpt({
  title,
  mapping,
  current_node: current,
  create_time: created,
  update_time: updated,
}: Values): ImportedChat {
  const messages = Object.entries(toValues(mapping)).map(([id, node]): ForeignMessage => {
    const { parent, message } = toValues(node);
    const { author, content, create_time: time, metadata } = toValues(message);
    const { parts } = toValues(content);
    const texts = (Array.isArray(parts) ? parts : []).filter((part) => typeof part === 'string');
    return {
      id,
      parent: typeof parent === 'string' ? parent : undefined,
      role: toText(toValues(author)['role']),
      content: texts.join('\n'),
      model: toText(toValues(metadata)['model_slug']),
      time: toNumber(time),
    };
  });
  return toChat({ title, messages, leaf: toText(current), created: toNumber(created), updated: toNumber(updated) });
}

function fromOpenWebUi({ title, chat, created_at: created, updated_at: updated }: Values): ImportedChat {
  const { history, title: inner } = toValues(chat);
  const { messages: nodes, currentId } = toValues(history);
  const messages = Object.entries(toValues(nodes)).map(([id, node]): ForeignMessage => {
    const { parentId, role, content, model, timestamp } = toValues(node);
    return {
      id,
      parent: typeof parentId === 'string' ? parentId : undefined,
      role: toText(role),
      content: toText(content),
      model: toText(model),
      time: toNumber(timestamp),
    };
  });
  const leaf = toText(currentId);
  return toChat({ title: title ?? inner, messages, leaf, created: toNumber(created), updated: toNumber(updated) });
}

/** Others are instructions, tools, and empty nodes. */
function isShown({ role, content }: ForeignMessage): boolean {
  return (role === 'user' || role === 'assistant') && content !== '';
}

interface ForeignChat {
  readonly title: unknown;
  readonly messages: readonly ForeignMessage[];
  readonly leaf: string;
  readonly created: number;
  readonly updated: number;
}

function toChat({ title, messages, leaf, created, updated }: ForeignChat): ImportedChat {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const ids = new Map<string, string>();
  /** The next message above that is shown; a file may contain a cycle. */
  const nearest = (start: string | undefined): ForeignMessage | undefined => {
    let found = start === undefined ? undefined : byId.get(start);
    for (let steps = 0; found !== undefined && !isShown(found) && steps < messages.length; steps++)
      found = found.parent === undefined ? undefined : byId.get(found.parent);
    return found !== undefined && isShown(found) ? found : undefined;
  };
  const children = new Map<string | undefined, ForeignMessage[]>();
  for (const message of messages.filter(isShown)) {
    const parent = nearest(message.parent)?.id;
    children.set(parent, [...(children.get(parent) ?? []), message]);
  }
  // Parents come before their children, which the server wants. What is part of a cycle is not reached.
  const kept: TreeMessage[] = [];
  const pending: (string | undefined)[] = [undefined];
  for (const parent of pending)
    for (const message of children.get(parent) ?? []) {
      ids.set(message.id, newId());
      pending.push(message.id);
      kept.push(toMessage(message, ids.get(message.id) ?? '', parent === undefined ? undefined : ids.get(parent)));
    }
  const end = nearest(leaf);
  const first = kept.find(({ role }) => role === 'user')?.content ?? '';
  return {
    id: newId(),
    title: titleFrom(toText(title) || first || t('Imported chat')),
    model: '',
    messages: kept,
    leaf: (end && ids.get(end.id)) ?? kept.at(-1)?.id,
    created_at: toTime(created),
    updated_at: toTime(updated),
  };
}

function toMessage(
  { role, content, model, time }: ForeignMessage,
  id: string,
  parent: string | undefined,
): TreeMessage {
  return {
    id,
    parent: parent ?? null,
    role: role === 'user' ? 'user' : 'assistant',
    content,
    model: model === '' ? undefined : model,
    created_at: toTime(time) ?? new Date(0).toISOString(),
  };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toValues(value: unknown): Values {
  return isObject(value) ? (value as Values) : {};
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** Later than any export; the year 9999. */
const maxSeconds = 253_402_300_799;

function toTime(seconds: number): string | undefined {
  return seconds > 0 && seconds < maxSeconds ? new Date(seconds * 1000).toISOString() : undefined;
}
