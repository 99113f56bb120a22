// Limits how many callers wait for one model. If the queue is full, the client with the most waiting requests loses its
// newest one to a client that has fewer: a client that retries without end gets no larger part of the queue. Other places
// are reserved for clients without a waiting request, so that one is not refused beside a crowd of clients.

import { evict, type ResidencyDraft } from './residency-draft.ts';
import { busyError } from './residency-errors.ts';
import { type CallerState, waitingIn } from './residency-state.ts';

/** Makes room in the queue for this caller. False if it has to be rejected. */
export function makeQueueRoom(draft: ResidencyDraft, caller: CallerState): boolean {
  const places = Math.max(1, draft.limits.maxQueue);
  const queued = queuedFor(draft, caller.key);
  if (queued < places) return true;
  const victim = chooseVictim(draft, caller);
  if (victim === undefined) return queued < places + draft.limits.reservedPlaces && !isWaiting(draft, caller);
  evict(draft, victim, busyError(draft, caller.key));
  return true;
}

function isWaiting({ callers }: ResidencyDraft, { key, client }: CallerState): boolean {
  return waitingIn({ callers }).some((other) => other.key === key && other.client === client);
}

/** Callers that wait for this model, without those for which its runner has a free slot. */
function queuedFor({ models, callers }: ResidencyDraft, key: string): number {
  const ofKey = callers.filter((caller) => caller.key === key);
  const model = models.find((one) => one.key === key && one.loaded && !one.stopping);
  const taken = ofKey.filter(({ begun, model: held }) => begun && held === model?.id).length;
  return waitingIn({ callers: ofKey }).length - Math.max(0, (model?.slots ?? 0) - taken);
}

interface Share {
  waiting: number;
  running: number;
}

function chooseVictim({ callers }: ResidencyDraft, { key, client }: CallerState): CallerState | undefined {
  const ofKey = callers.filter((caller) => caller.key === key);
  const shares = new Map<string, Share>();
  const shareOf = (name: string): Share => shares.get(name) ?? { waiting: 0, running: 0 };
  for (const { client: name, begun, evicted } of ofKey) {
    if (evicted) continue;
    const { waiting, running } = shareOf(name);
    shares.set(name, begun ? { waiting, running: running + 1 } : { waiting: waiting + 1, running });
  }
  // With the new caller, so that two clients cannot replace each other's requests again and again.
  const own = shareOf(client);
  const newcomer = { ...own, waiting: own.waiting + 1 };
  // A readmitted caller was promised its place.
  const candidates = waitingIn({ callers: ofKey }).filter(({ readmitted }) => !readmitted);
  const newest = candidates.reduceRight<CallerState | undefined>(
    (best, one) => (best && compareShares(shareOf(one.client), shareOf(best.client)) <= 0 ? best : one),
    undefined,
  );
  return newest && compareShares(newcomer, shareOf(newest.client)) < 0 ? newest : undefined;
}

/** Waiting requests count first, then running ones. */
function compareShares(a: Share, b: Share): number {
  return a.waiting - b.waiting || a.running - b.running;
}
