// GET /api/catalogue: models that can be pulled.

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { toClientTls } from '../../base/config/client-tls.ts';
import { messageOf } from '../../base/errors.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { searchCatalogue } from './catalogue.ts';
import { catalogueDate } from './catalogue-data.ts';
import { CatalogueResponseBody } from './catalogue-schema.ts';
import { createDescribeFamily } from './describe-family.ts';
import { createSearchHub, type SearchHub } from './search-hub.ts';

const maxQueryCharacters = 100;

export const catalogueServer = toServerFeature({
  operations: {
    'GET /api/catalogue': {
      description:
        'Lists models that can be pulled, from the list that ships with Hearth: what they are good for, their sizes, and whether these fit this machine. With `online` and words, Hugging Face is searched too; nothing is sent there otherwise.',
      example: { query: { q: 'code' } },
    },
  },
  open: ({ settings, version, judgeFile, clock }) => ({
    describe: createDescribeFamily(judgeFile),
    searchHub: createSearchHub({
      endpoint: settings.hfEndpoint,
      version,
      proxy: { http: settings.httpProxy, https: settings.httpsProxy, except: settings.noProxy },
      tls: toClientTls(settings),
      clock,
    }),
  }),
  routes: ({ describe, searchHub }) => [
    {
      dialect: ollamaDialect,
      method: 'GET',
      scope: 'manage',
      tag: 'Models',
      path: '/api/catalogue',
      summary: 'Search models that can be pulled',
      query: {
        q: Type.String({
          maxLength: maxQueryCharacters,
          description: 'Words that a model has in its name or its description, in any case. Absent: all models.',
        }),
        online: Type.Enum(['true', 'false'], { description: 'Whether Hugging Face is searched too.' }),
      },
      response: CatalogueResponseBody,
      async handle(request): Promise<CatalogueResponseBody> {
        const { q = '', online } = request.query as { readonly q?: string; readonly online?: string };
        const query = q.slice(0, maxQueryCharacters).trim();
        const isOnline = online === 'true' && query !== '';
        const hub = isOnline ? await askHub(searchHub, query, request) : { found: [] };
        return {
          date: catalogueDate,
          models: await Promise.all([...searchCatalogue(query), ...hub.found].map(describe)),
          online_error: hub.problem,
        };
      },
    },
  ],
});

/** The list of Hearth is shown also if Hugging Face does not answer. */
async function askHub(searchHub: SearchHub, query: string, { scope }: FastifyRequest) {
  try {
    return { found: await searchHub(query, scope.signal) };
  } catch (error) {
    if (scope.signal.aborted) throw error;
    return { found: [], problem: messageOf(error) };
  }
}
