// POST /v1/responses/input_tokens

import type { Route } from '../../../http/route.ts';
import type { CountPrompt } from '../../../services/generation/count-prompt.ts';
import { responsesDialect, responsesPrefix } from './dialect.ts';
import { readItemFiles } from './request/item-content.ts';
import { InputTokensRequestBody } from './request/responses-request-schema.ts';
import { refuseUnsupported, toResponsesChatInput } from './request/to-chat-input.ts';
import { readTools } from './request/tool-table.ts';
import { InputTokensResponseBody } from './response/response-schema.ts';
import type { ResponsesRouteOptions } from './responses-route.ts';
import { readConversation } from './stored/read-conversation.ts';

interface InputTokensRouteOptions extends Pick<ResponsesRouteOptions, 'describeCustomTool' | 'store' | 'readDocument'> {
  readonly countPrompt: CountPrompt;
}

export function inputTokensRoute(options: InputTokensRouteOptions): Route {
  const { countPrompt, describeCustomTool, store, readDocument } = options;
  return {
    dialect: responsesDialect,
    method: 'POST',
    scope: 'infer',
    path: `${responsesPrefix}/input_tokens`,
    summary: 'Count the tokens of the prompt of a response',
    body: InputTokensRequestBody,
    response: InputTokensResponseBody,
    async handle(request): Promise<InputTokensResponseBody> {
      const body = request.body as InputTokensRequestBody;
      refuseUnsupported(body);
      const tools = await readTools(body.tools ?? [], describeCustomTool);
      // Nothing is stored, so the ids of items do not matter.
      const items = await readConversation(body, { store, key: request.scope.key, newId: (prefix) => prefix });
      const read = await readItemFiles(items, { readDocument, scope: request.scope });
      const input = { ...toResponsesChatInput(body, { items: read, tools }), report: request.report };
      return { object: 'response.input_tokens', input_tokens: await countPrompt(input, request.scope.signal) };
    },
  };
}
