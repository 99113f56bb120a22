// Conversations under headings such as "Today".

import type { ListedChat } from '../../conversation/chat-document.ts';

/** Days since the change, in the time zone of the user. */
const spans = [
  { label: 'Today', days: 0 },
  { label: 'Yesterday', days: 1 },
  { label: 'Last 7 days', days: 7 },
  { label: 'Last 30 days', days: 30 },
  { label: 'Older', days: Number.POSITIVE_INFINITY },
];

export function groupByDay(chats: readonly ListedChat[], now: Date) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const labelOf = ({ updated_at: changed }: ListedChat): string => {
    const days = Math.ceil((midnight - new Date(changed).getTime()) / 86_400_000);
    return (spans.find((span) => days <= span.days) ?? spans.at(-1))?.label ?? '';
  };
  return spans
    .map(({ label }) => ({ label, chats: chats.filter((chat) => labelOf(chat) === label) }))
    .filter((group) => group.chats.length > 0);
}
