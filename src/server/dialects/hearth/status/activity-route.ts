// GET /api/activity

import type { TokenCount } from '../../../../base/request/request-report.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import { type Activity, activityIntervalMs, type Work } from '../../../http/activity.ts';
import { type RequestTable, type Viewer, viewerOf } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { ActivityResponseBody } from './activity-schema.ts';
import type { WaitingModel } from './queue-route.ts';

interface ActivityRouteOptions {
  readonly activity: Pick<Activity, 'list' | 'history'>;
  readonly queue: () => readonly WaitingModel[];
  readonly requests: Pick<RequestTable, 'isVisible'>;
  readonly clock: Pick<Clock, 'now'>;
}

type RequestEntry = ActivityResponseBody['requests'][number];

export function activityRoute({ activity, queue, requests, clock }: ActivityRouteOptions): Route {
  const listFor = (viewer: Viewer): RequestEntry[] => {
    const works = activity.list().filter((work) => work.model() !== '' && mayKnow(viewer, work));
    const positions = positionsIn(queue(), new Set(works.map(({ id }) => id)));
    // An id is enough to cancel a request, so a client sees only its own.
    return works.map((work) => ({
      id: requests.isVisible(viewer, work.id) ? work.id : undefined,
      ...toEntry(work, positions.get(work.id)),
    }));
  };
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
    path: '/api/activity',
    tag: 'Server',
    summary: 'List the requests that run models, and the tokens of the last minutes',
    response: ActivityResponseBody,
    polled: true,
    handle(request): ActivityResponseBody {
      const viewer = viewerOf(request);
      const history = activity.history(knowsAll(viewer) ? undefined : viewer.client);
      return {
        time: formatTimestamp(clock.now()),
        requests: listFor(viewer),
        interval_ms: activityIntervalMs,
        intervals: history.map(toTokenFields),
      };
    },
  };
}

/** With a key, a client does not even see that others use the server. */
function knowsAll({ seesAll, hasKey }: Viewer): boolean {
  return seesAll || !hasKey;
}

function mayKnow(viewer: Viewer, { client }: Work): boolean {
  return knowsAll(viewer) || client === viewer.client;
}

/** A request with several choices waits several times: its first place counts. */
function positionsIn(queues: readonly WaitingModel[], counted: ReadonlySet<string>): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  for (const { waiting } of queues) {
    const ids = new Set(waiting.map(({ id }) => id).filter((id) => counted.has(id)));
    for (const [index, id] of [...ids].entries()) positions.set(id, index + 1);
  }
  return positions;
}

function toEntry(work: Work, position: number | undefined): Omit<RequestEntry, 'id'> {
  const { key, endpoint, since } = work;
  return {
    model: work.model(),
    endpoint,
    key: key || undefined,
    since: formatTimestamp(since),
    ...(position === undefined ? { state: 'running' } : { state: 'waiting', position }),
    ...toTokenFields(work.tokens()),
  };
}

function toTokenFields({ promptTokens, cachedTokens, generatedTokens }: Readonly<TokenCount>) {
  return { prompt_tokens: promptTokens, cached_tokens: cachedTokens, generated_tokens: generatedTokens };
}
