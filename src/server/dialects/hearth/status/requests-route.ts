// DELETE /api/requests/:id

import { type RequestTable, viewerOf } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { CancelResponseBody } from './requests-schema.ts';

export function cancelRoute(requests: Pick<RequestTable, 'cancel'>): Route {
  return {
    dialect: ollamaDialect,
    method: 'DELETE',
    scope: 'infer',
    path: '/api/requests/:id',
    summary:
      'Cancel a waiting or running request of the same client by its x-request-id; an administrator can cancel all',
    response: CancelResponseBody,
    handle: async (request): Promise<CancelResponseBody> => {
      requests.cancel(viewerOf(request), (request.params as { readonly id: string }).id);
      return { status: 'cancelled' };
    },
  };
}
