// GET /api/tags

import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import type { Route } from '../../../http/route.ts';
import type { ListedCard } from '../../../services/management/list-models.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { TagsResponseBody } from './tags-schema.ts';
import { toDetailsBody } from './to-details-body.ts';

export function tagsRoute(listModels: () => Promise<readonly ListedCard[]>): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
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
  parentModel,
  remote,
  card,
}: ListedCard): TagsResponseBody['models'][number] {
  return {
    name,
    model: name,
    remote_model: remote?.model,
    remote_host: remote?.host,
    modified_at: formatLocalTimestamp(modifiedAt),
    size: bytes,
    digest,
    details: {
      ...toDetailsBody(details, parentModel),
      ...(card?.contextLength === undefined ? {} : { context_length: card.contextLength }),
      ...(card?.embeddingLength === undefined ? {} : { embedding_length: card.embeddingLength }),
    },
    capabilities: card?.capabilities,
  };
}
