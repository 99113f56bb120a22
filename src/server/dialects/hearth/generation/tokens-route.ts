// POST /api/tokenize and POST /api/detokenize

import type { Route } from '../../../http/route.ts';
import type { Detokenize, Tokenize } from '../../../services/generation/tokens.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import {
  DetokenizeRequestBody,
  DetokenizeResponseBody,
  TokenizeRequestBody,
  TokenizeResponseBody,
} from './tokens-schema.ts';

export function tokenizeRoute(tokenize: Tokenize): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/tokenize',
    summary: 'Convert text to tokens',
    body: TokenizeRequestBody,
    response: TokenizeResponseBody,
    async handle(request): Promise<TokenizeResponseBody> {
      const { report, scope } = request;
      const body = request.body as TokenizeRequestBody;
      const input = { ...toModelInput(body), text: body.text ?? '', addSpecial: body.add_special ?? false };
      return { model: input.model.text, tokens: await tokenize({ ...input, report }, scope.signal) };
    },
  };
}

export function detokenizeRoute(detokenize: Detokenize): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/detokenize',
    summary: 'Convert tokens to text',
    body: DetokenizeRequestBody,
    response: DetokenizeResponseBody,
    async handle(request): Promise<DetokenizeResponseBody> {
      const { report, scope } = request;
      const body = request.body as DetokenizeRequestBody;
      const input = { ...toModelInput(body), tokens: body.tokens ?? [] };
      return { model: input.model.text, text: await detokenize({ ...input, report }, scope.signal) };
    },
  };
}
