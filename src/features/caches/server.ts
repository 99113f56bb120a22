// GET /api/caches: the models in the folders of other programs.

import { formatLocalTimestamp } from '../../base/time/timestamp.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import { requireKeyOrThisMachine } from '../../server/http/access/from-this-machine.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { mayUseModel } from '../../server/services/models/model-access.ts';
import type { CachedModel } from './cached-model.ts';
import { createListCached } from './cached-models.ts';
import { CachesResponseBody } from './caches-schema.ts';
import { nameOfCached } from './pull-cached.ts';

export const cachesServer = toServerFeature({
  operations: {
    'GET /api/caches': {
      description:
        'Lists GGUF files that other programs on the machine of the server have downloaded: the Hugging Face cache and LM Studio. A pull of such a name uses the file.',
      example: {},
    },
  },
  open: ({ settings }) => ({ listCached: createListCached(settings) }),
  routes: ({ listCached }) => [
    {
      dialect: ollamaDialect,
      method: 'GET',
      scope: 'manage',
      tag: 'Models',
      path: '/api/caches',
      summary: 'List models of other programs',
      response: CachesResponseBody,
      async handle(request): Promise<CachesResponseBody> {
        requireKeyOrThisMachine(
          request,
          'only programs on the machine of the server, or with a key, may list its files',
        );
        const models = await listCached();
        return { models: models.filter(({ name }) => name === undefined || mayUseModel(name)).map(toEntry) };
      },
    },
  ],
});

function toEntry(model: CachedModel): CachesResponseBody['models'][number] {
  const { program, weights, projector } = model;
  return {
    name: nameOfCached(model),
    program,
    files: weights.map(({ path }) => path),
    projector: projector?.path,
    size: [...weights, ...(projector ? [projector] : [])].reduce((sum, { bytes }) => sum + bytes, 0),
    modified_at: formatLocalTimestamp(Math.max(...weights.map(({ modifiedAt }) => modifiedAt))),
  };
}
