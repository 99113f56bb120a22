// POST /api/me. Ollama's `push` asks for the account first and gives up without one. A user without a name lets it
// continue, and does not count as signed in anywhere.

import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { MeResponseBody } from './me-schema.ts';

export const meRoute: Route = {
  dialect: ollamaDialect,
  method: 'POST',
  scope: 'infer',
  path: '/api/me',
  summary: 'Show the account, which is always empty',
  response: MeResponseBody,
  handle: (): MeResponseBody => ({ name: '', email: '' }),
};
