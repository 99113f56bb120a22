// The routes of Hearth's own API, besides those of features.

import type { Route } from '../../http/route.ts';
import type { Rerank } from '../../services/generation/rerank.ts';
import type { Score } from '../../services/generation/score.ts';
import type { Detokenize, Tokenize } from '../../services/generation/tokens.ts';
import type { ListDevices } from '../../services/management/list-devices.ts';
import { compareRoute } from './generation/compare-route.ts';
import { ollamaRerankRoute } from './generation/rerank-route.ts';
import { scoreRoute } from './generation/score-route.ts';
import { detokenizeRoute, tokenizeRoute } from './generation/tokens-route.ts';
import { activityRoute } from './status/activity-route.ts';
import { devicesRoute } from './status/devices-route.ts';
import { healthRoutes } from './status/health-routes.ts';
import { keyRoute } from './status/key-route.ts';
import { metricsRoute } from './status/metrics-route.ts';
import { pullsRoutes } from './status/pulls-route.ts';
import { queueRoute } from './status/queue-route.ts';
import { cancelRoute } from './status/requests-route.ts';
import { verifyRoute } from './status/verify-route.ts';

type HearthServices = Parameters<typeof activityRoute>[0] &
  Parameters<typeof verifyRoute>[0] &
  Parameters<typeof compareRoute>[0] &
  Parameters<typeof metricsRoute>[0] & {
    readonly requests: Parameters<typeof cancelRoute>[0];
    readonly resumable?: Parameters<typeof cancelRoute>[1];
    readonly readPublicKey: Parameters<typeof keyRoute>[0];
    readonly listDevices: ListDevices;
    readonly pulls: Parameters<typeof pullsRoutes>[0];
    readonly rerank: Rerank;
    readonly score: Score;
    readonly tokenize: Tokenize;
    readonly detokenize: Detokenize;
  };

export function hearthRoutes(services: HearthServices): Route[] {
  return [
    ...healthRoutes,
    devicesRoute(services.listDevices),
    queueRoute(services),
    activityRoute(services),
    cancelRoute(services.requests, services.resumable),
    metricsRoute(services),
    keyRoute(services.readPublicKey),
    verifyRoute(services),
    ...pullsRoutes(services.pulls),
    ollamaRerankRoute(services.rerank),
    scoreRoute(services.score),
    compareRoute(services),
    tokenizeRoute(services.tokenize),
    detokenizeRoute(services.detokenize),
  ];
}
