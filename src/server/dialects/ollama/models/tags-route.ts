// GET /api/tags

import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import type { Route } from '../../../http/route.ts';
import type { ListedModel } from '../../../services/management/list-models.ts';
import { ollamaDialect } from '../dialect.ts';
import { TagsResponseBody } from './tags-schema.ts';
import { toDetailsBody } from './to-details-body.ts';

export function tagsRoute(listModels: () => Promise<readonly ListedModel[]>): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    path: '/api/tags',
    summary: 'List models',
    response: TagsResponseBody,
    handle: async (): Promise<TagsResponseBody> => ({ models: (await listModels()).map(toEntry) }),
  };
}

function toEntry({
  name,
  modifiedAt,
  bytes,
  digest,
  details,
  remote,
}: ListedModel): TagsResponseBody['models'][number] {
  return {
    name,
    model: name,
    ...(remote ? { remote_model: remote.model, remote_host: remote.host } : {}),
    modified_at: formatLocalTimestamp(modifiedAt),
    size: bytes,
    digest,
    details: toDetailsBody(details),
  };
}
