// What a conversation at the prompt consists of, and what of it goes to the server.

import type { ParameterValue } from '../../formats/modelfile/parameters.ts';
import type { ChatRequestBody, ChatRequestMessage } from '../../server/dialects/ollama/generation/chat-schema.ts';
import type { CreateRequestBody } from '../../server/dialects/ollama/models/create-schema.ts';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';

export const thinkLevels = ['low', 'medium', 'high', 'max'] as const;
export type Think = boolean | (typeof thinkLevels)[number];

export interface Preferences {
  readonly wordWrap: boolean;
  readonly verbose: boolean;
  readonly hideThinking: boolean;
  /** undefined: as the model does by itself. */
  readonly think?: Think;
  /** "json" or a schema. */
  readonly format?: unknown;
  readonly keepAlive?: string | number;
}

export interface Session {
  readonly model: string;
  /** What the server says about it. */
  readonly facts: ShowResponseBody;
  readonly messages: readonly ChatRequestMessage[];
  readonly system?: string;
  readonly options: Readonly<Record<string, ParameterValue>>;
  readonly preferences: Preferences;
  readonly keepsHistory: boolean;
}

export function startSession(model: string, facts: ShowResponseBody, preferences: Preferences): Session {
  return { model, facts, messages: [], options: {}, preferences, keepsHistory: true };
}

export function toChatRequest(session: Session): ChatRequestBody {
  const { model, messages, system, options, preferences } = session;
  const { think, format, keepAlive } = preferences;
  return {
    model,
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...messages],
    ...(Object.keys(options).length === 0 ? {} : { options: { ...options } }),
    ...(think === undefined ? {} : { think }),
    ...(format === undefined ? {} : { format }),
    ...(keepAlive === undefined ? {} : { keep_alive: keepAlive }),
  };
}

/** The session as a model: what was said after what the model brings along. Pictures cannot be kept in one. */
export function toCreateRequest({ model, facts, messages, system, options }: Session, name: string): CreateRequestBody {
  const said = messages.map(({ role = 'user', content = '' }) => ({ role, content }));
  return {
    model: name,
    from: model,
    ...(system === undefined ? {} : { system }),
    ...(Object.keys(options).length === 0 ? {} : { parameters: { ...options } }),
    ...(said.length === 0 ? {} : { messages: [...(facts.messages ?? []), ...said] }),
  };
}

export const hasVision = ({ facts }: Session): boolean => facts.capabilities.includes('vision');

/** The session with a model's state replaced: another model begins a conversation of its own. */
export function withModel(session: Session, model: string, facts: ShowResponseBody): Session {
  const { system: _, ...rest } = session;
  return { ...rest, model, facts, messages: [], options: {} };
}
