// POST /v1/messages/count_tokens

import type { Route } from '../../http/route.ts';
import type { CountPrompt } from '../../services/generation/count-prompt.ts';
import { anthropicDialect, anthropicPrefix } from './dialect.ts';
import { CountTokensRequestBody } from './request/messages-request-schema.ts';
import { toAnthropicChatInput } from './request/to-chat-input.ts';
import { CountTokensResponseBody } from './response/messages-response-schema.ts';

export function countTokensRoute(countPrompt: CountPrompt): Route {
  return {
    dialect: anthropicDialect,
    method: 'POST',
    scope: 'infer',
    path: `${anthropicPrefix}/count_tokens`,
    summary: 'Count the tokens of a prompt',
    body: CountTokensRequestBody,
    response: CountTokensResponseBody,
    async handle(request): Promise<CountTokensResponseBody> {
      const { body, report, scope } = request;
      const input = { ...toAnthropicChatInput(body as CountTokensRequestBody), report };
      return { input_tokens: await countPrompt(input, scope.signal) };
    },
  };
}
