// DELETE /api/requests/:id

import { type RequestTable, viewerOf } from '../../../http/requests.ts';
import type { ResumableAnswers } from '../../../http/resumable/resumable-answers.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { CancelResponseBody } from './requests-schema.ts';

/** `resumable`: answers that another server generates. */
export function cancelRoute(
  requests: Pick<RequestTable, 'cancel' | 'isVisible'>,
  resumable?: Pick<ResumableAnswers, 'cancelElsewhere'>,
): Route {
  return {
    dialect: ollamaDialect,
    method: 'DELETE',
    scope: 'infer',
    path: '/api/requests/:id',
    summary:
      'Cancel a waiting or running request of the same client by its x-request-id; an administrator can cancel all',
    response: CancelResponseBody,
    handle: async (request): Promise<CancelResponseBody> => {
      const viewer = viewerOf(request);
      const { id } = request.params as { readonly id: string };
      if (resumable === undefined || requests.isVisible(viewer, id)) requests.cancel(viewer, id);
      else await resumable.cancelElsewhere(viewer, id);
      return { status: 'cancelled' };
    },
  };
}
