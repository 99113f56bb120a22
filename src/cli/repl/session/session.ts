// The state of an interactive session, and the requests built from it.

import type { ParameterValue } from '../../../formats/modelfile/parameters.ts';
import type { ChatRequestBody, ChatRequestMessage } from '../../../server/dialects/ollama/generation/chat-schema.ts';
import type { CreateRequestBody } from '../../../server/dialects/ollama/models/create-schema.ts';
import type { ShowResponseBody } from '../../../server/dialects/ollama/models/show-schema.ts';
import type { Preferences } from '../../answers/preferences.ts';

export interface PromptSession {
  readonly model: string;
  /** The response of /api/show. */
  readonly facts: ShowResponseBody;
  readonly messages: readonly ChatRequestMessage[];
  readonly system?: string;
  readonly options: Readonly<Record<string, ParameterValue>>;
  readonly preferences: Preferences;
  readonly keepsHistory: boolean;
}

export function startSession(model: string, facts: ShowResponseBody, preferences: Preferences): PromptSession {
  return { model, facts, messages: [], options: {}, preferences, keepsHistory: true };
}

export function toSessionRequest(session: PromptSession): ChatRequestBody {
  const { model, messages, system, options, preferences } = session;
  const { think, format, keepAlive } = preferences;
  return {
    model,
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages],
    options: Object.keys(options).length === 0 ? undefined : { ...options },
    think,
    ...(format === undefined ? {} : { format }),
    keep_alive: keepAlive,
  };
}

/** Saves the session as a model, with its messages after those of the model. Images cannot be saved. */
export function toCreateRequest(
  { model, facts, messages, system, options }: PromptSession,
  name: string,
): CreateRequestBody {
  const exchanged = messages.map(({ role = 'user', content = '' }) => ({ role, content }));
  return {
    model: name,
    from: model,
    system,
    parameters: Object.keys(options).length === 0 ? undefined : { ...options },
    messages: exchanged.length === 0 ? undefined : [...(facts.messages ?? []), ...exchanged],
  };
}

export const hasVision = ({ facts }: PromptSession): boolean => facts.capabilities.includes('vision');

/**
 * Switches to another model: clears the messages and options, and keeps the preferences that the model can fulfill.
 */
export function switchModel(session: PromptSession, model: string, facts: ShowResponseBody): PromptSession {
  const { system: _, ...rest } = session;
  const { think, ...preferences } = session.preferences;
  const thinking =
    think === undefined || (think !== false && !facts.capabilities.includes('thinking')) ? {} : { think };
  return { ...rest, model, facts, messages: [], options: {}, preferences: { ...preferences, ...thinking } };
}
