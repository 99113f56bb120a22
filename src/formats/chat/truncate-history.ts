// A conversation that is longer than the context loses its oldest turns: never the last message, and never what the
// system says. Turns go one by one, so that as much of the conversation stays as there is room for.

import type { Message } from './message.ts';

export interface TruncatedHistory {
  readonly messages: readonly Message[];
  readonly dropped: number;
}

/** Whether a conversation fits; asked as rarely as can be, since someone has to render and count it. */
export type FitCheck = (messages: readonly Message[]) => Promise<boolean>;

export async function truncateHistory(messages: readonly Message[], fits: FitCheck): Promise<TruncatedHistory> {
  if (messages.length <= 1 || (await fits(messages))) return { messages, dropped: 0 };
  // What a shorter history does not exceed, an even shorter one does not either: search in halves.
  let tooMany = 0;
  let enough = messages.length - 1;
  while (enough - tooMany > 1) {
    const middle = (tooMany + enough) >> 1;
    if (await fits(withoutOldest(messages, middle))) enough = middle;
    else tooMany = middle;
  }
  const kept = withoutOldest(messages, enough);
  return { messages: kept, dropped: messages.length - kept.length };
}

function withoutOldest(messages: readonly Message[], count: number): Message[] {
  const system = messages.slice(0, count).filter(({ role }) => role === 'system');
  return [...system, ...messages.slice(count)];
}
