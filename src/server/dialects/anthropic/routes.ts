// The routes of Anthropic's API.

import type { Route } from '../../http/route.ts';
import type { CountPrompt } from '../../services/generation/count-prompt.ts';
import { countTokensRoute } from './count-tokens-route.ts';
import { messagesRoute } from './messages-route.ts';

type AnthropicServices = Parameters<typeof messagesRoute>[0] & { readonly countPrompt: CountPrompt };

export function anthropicRoutes(services: AnthropicServices): Route[] {
  return [messagesRoute(services), countTokensRoute(services.countPrompt, services.readDocument)];
}
