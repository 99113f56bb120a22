// GET /api/tags

import { toDetailsBody } from '../../api/details.ts';
import { TagsBody } from '../../api/responses.ts';
import type { TagsResponse } from '../../api/tags.ts';
import { formatLocalTimestamp } from '../../kernel/timestamp.ts';
import type { ListedModel } from '../../service/list-models.ts';
import type { Route } from '../route.ts';

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
