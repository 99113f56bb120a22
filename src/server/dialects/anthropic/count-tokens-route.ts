// POST /v1/messages/count_tokens

import type { Route } from '../../http/route.ts';
import type { CountPrompt } from '../../services/generation/count-prompt.ts';
import type { DocumentContext } from '../shared/document-parts.ts';
import { anthropicDialect, anthropicPrefix } from './dialect.ts';
import { readMessageDocuments } from './request/content-blocks.ts';
import { CountTokensRequestBody } from './request/messages-request-schema.ts';
import { toAnthropicChatInput } from './request/to-chat-input.ts';
import { CountTokensResponseBody } from './response/messages-response-schema.ts';

export function countTokensRoute(countPrompt: CountPrompt, readDocument?: DocumentContext['readDocument']): Route {
  return {
    dialect: anthropicDialect,
    method: 'POST',
    scope: 'infer',
    path: `${anthropicPrefix}/count_tokens`,
    summary: 'Count the tokens of a prompt',
    body: CountTokensRequestBody,
    response: CountTokensResponseBody,
    async handle(request): Promise<CountTokensResponseBody> {
      const { report, scope } = request;
      const body = await readMessageDocuments(request.body as CountTokensRequestBody, { readDocument, scope });
      const input = { ...toAnthropicChatInput(body), report };
      return { input_tokens: await countPrompt(input, scope.signal) };
    },
  };
}
