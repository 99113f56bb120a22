// Truncates a conversation that is longer than the context. It drops as few of the oldest messages as possible, and
// never the last message or a system message.

import type { Message } from './message.ts';

/** Whether a conversation fits. Rendering and counting are expensive, so it is called as rarely as possible. */
type FitCheck = (messages: readonly Message[]) => Promise<boolean>;

export async function truncateHistory(
  messages: readonly Message[],
  fits: FitCheck,
): Promise<{ readonly messages: readonly Message[]; readonly dropped: number }> {
  if (messages.length <= 1 || (await fits(messages))) return { messages, dropped: 0 };
  // If a history fits, every shorter one fits too: binary search.
  let tooFew = 0;
  let enough = messages.length - 1;
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1;
    if (await fits(withoutOldest(messages, middle))) enough = middle;
    else tooFew = middle;
  }
  const kept = withoutOldest(messages, enough);
  return { messages: kept, dropped: messages.length - kept.length };
}

function withoutOldest(messages: readonly Message[], count: number): Message[] {
  const system = messages.slice(0, count).filter(({ role }) => role === 'system');
  return [...system, ...messages.slice(count)];
}
