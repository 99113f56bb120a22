// DELETE /api/requests/:id

import type { CancelResponse } from '../../api/requests.ts';
import { CancelBody } from '../../api/responses.ts';
import type { RequestTable } from '../requests.ts';
import type { Route } from '../route.ts';

export function cancelRoute(requests: Pick<RequestTable, 'cancel'>): Route {
  return {
    method: 'DELETE',
    path: '/api/requests/:id',
    summary: 'End a request that waits or runs, by the id in its x-request-id header',
    response: CancelBody,
    handle: async (request): Promise<CancelResponse> => {
      const { id } = request.params as { readonly id: string };
      requests.cancel(id);
      return { status: 'cancelled' };
    },
  };
}
