// POST /api/tokenize and POST /api/detokenize

import { parseKeepAlive } from '../../../../models/keep-alive.ts';
import { parseOptions } from '../../../../models/options.ts';
import { parseRequestedModel } from '../../../../models/requested-model.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import type { Detokenize, Tokenize } from '../../../services/generation/tokens.ts';
import { DetokenizeBody, TokenizeBody } from '../responses-schema.ts';
import { DetokenizeRequest, type DetokenizeResponse, TokenizeRequest, type TokenizeResponse } from './tokens-schema.ts';

export function tokenizeRoute(tokenize: Tokenize): Route {
  return {
    method: 'POST',
    path: '/api/tokenize',
    body: TokenizeRequest,
    summary: 'The tokens of a text',
    response: TokenizeBody,
    async handle(request): Promise<TokenizeResponse> {
      const body = request.body as TokenizeRequest;
      const input = { ...commonOf(body), text: body.text ?? '', addSpecial: body.add_special ?? false };
      return { model: input.model.text, tokens: await tokenize(input, requestSignal()) };
    },
  };
}

export function detokenizeRoute(detokenize: Detokenize): Route {
  return {
    method: 'POST',
    path: '/api/detokenize',
    body: DetokenizeRequest,
    summary: 'The text of tokens',
    response: DetokenizeBody,
    async handle(request): Promise<DetokenizeResponse> {
      const body = request.body as DetokenizeRequest;
      const input = { ...commonOf(body), tokens: body.tokens ?? [] };
      return { model: input.model.text, text: await detokenize(input, requestSignal()) };
    },
  };
}

function commonOf({ model, options, keep_alive }: Pick<TokenizeRequest, 'model' | 'options' | 'keep_alive'>) {
  return {
    model: parseRequestedModel(model ?? ''),
    options: parseOptions(options ?? {}),
    ...(keep_alive === undefined ? {} : { keepAlive: parseKeepAlive(keep_alive) }),
  };
}
