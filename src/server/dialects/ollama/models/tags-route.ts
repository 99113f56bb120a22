// GET /api/tags

import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import type { Route } from '../../../http/route.ts';
import type { ListedModel } from '../../../services/management/list-models.ts';
import { TagsBody } from '../responses-schema.ts';
import { toDetailsBody } from './details-schema.ts';
import type { TagsResponse } from './tags-schema.ts';

export function tagsRoute(listModels: () => Promise<readonly ListedModel[]>): Route {
  return {
    method: 'GET',
    path: '/api/tags',
    summary: 'The models in the store',
    response: TagsBody,
    handle: async (): Promise<TagsResponse> => ({ models: (await listModels()).map(toEntry) }),
  };
}

function toEntry({ name, modifiedAt, bytes, digest, details }: ListedModel): TagsResponse['models'][number] {
  return {
    name,
    model: name,
    modified_at: formatLocalTimestamp(modifiedAt),
    size: bytes,
    digest,
    details: toDetailsBody(details),
  };
}
