// Conversations under headings: pinned ones, folders, and then days such as "Today".

import type { ListedChat } from '../../conversation/chat-document.ts';
import type { Label } from '../../language/catalogue.ts';
import { t } from '../../language/language.ts';

/** Days since the change, in the time zone of the user. */
const spans: readonly { readonly label: Label; readonly days: number }[] = [
  { label: 'Today', days: 0 },
  { label: 'Yesterday', days: 1 },
  { label: 'Last 7 days', days: 7 },
  { label: 'Last 30 days', days: 30 },
  { label: 'Older', days: Number.POSITIVE_INFINITY },
];

interface ChatGroup {
  readonly kind: 'pinned' | 'folder' | 'day';
  readonly label: string;
  readonly chats: readonly ListedChat[];
}

export function groupChats(chats: readonly ListedChat[], now: Date): ChatGroup[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const labelOf = ({ updated_at: changed }: ListedChat): string => {
    const days = Math.ceil((midnight - new Date(changed).getTime()) / 86_400_000);
    return (spans.find((span) => days <= span.days) ?? spans.at(-1))?.label ?? '';
  };
  const others = chats.filter(({ pinned }) => !pinned);
  const loose = others.filter(({ folder = '' }) => folder === '');
  const groups: ChatGroup[] = [
    { kind: 'pinned', label: t('Pinned'), chats: chats.filter(({ pinned }) => pinned) },
    ...foldersOf(others).map((label) => ({
      ...{ kind: 'folder' as const, label },
      chats: others.filter(({ folder }) => folder === label),
    })),
    ...spans.map(({ label }) => ({
      ...{ kind: 'day' as const, label: t(label) },
      chats: loose.filter((chat) => labelOf(chat) === label),
    })),
  ];
  return groups.filter((group) => group.chats.length > 0);
}

/** The names of all folders, in alphabetical order. */
export function foldersOf(chats: readonly ListedChat[]): string[] {
  const names = chats.flatMap(({ folder = '' }) => (folder === '' ? [] : [folder]));
  return [...new Set(names)].sort((a, b) => a.localeCompare(b));
}
