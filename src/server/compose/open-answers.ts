// Answers that can be read again: stored responses, and resumable answers.

import type { Logger } from '../../base/logger.ts';
import type { SharedState } from '../../base/state/shared-state.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { ResponseArchive } from '../dialects/openai/responses/stored/response-archive.ts';
import { createResponseStore } from '../dialects/openai/responses/stored/response-store.ts';
import type { RequestTable } from '../http/requests.ts';
import { createResumableAnswers } from '../http/resumable/resumable-answers.ts';

interface AnswerParts {
  readonly settings: Settings;
  readonly sharedState?: SharedState | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function openResponseStore({ settings, sharedState: state, clock, logger }: AnswerParts) {
  const { responseStore: maxBytes, responseAge: maxAgeMs } = settings;
  const archive = state && new ResponseArchive({ state, clock, maxBytes, maxAgeMs });
  return createResponseStore({ archive, streams: state?.streams, clock, logger, maxBytes, maxAgeMs });
}

export function openResumableAnswers(requests: RequestTable, { settings, sharedState, clock, logger }: AnswerParts) {
  const { resumeMemory: maxBytes, resumeAge: keptFor, detachedTime: detachedFor } = settings;
  if (maxBytes === 0) return undefined;
  const limits = { maxBytes, keptFor, detachedFor };
  return createResumableAnswers({ requests, streams: sharedState?.streams, clock, logger, ...limits });
}
