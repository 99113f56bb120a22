// DELETE /api/requests/:id

import type { RequestTable } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { CancelBody } from '../responses-schema.ts';
import type { CancelResponse } from './requests-schema.ts';

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
