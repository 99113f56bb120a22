// What a request to a remote is about: where it goes, what is sent there, and what decides about the place.

import type { TraceContext } from '../../base/request/trace-context.ts';
import type { NamedEndpoint, RemoteRequest } from './http/remote-http.ts';
import type { EndpointFacts } from './probe/endpoint-facts.ts';

/** An endpoint that a request goes to. */
export interface Target {
  readonly endpoint: NamedEndpoint;
  readonly facts: EndpointFacts;
  /** The name of the model there. */
  readonly model: string;
  /** What the endpoint gets of the trace. Absent: what the current request has. */
  readonly trace?: TraceContext | undefined;
}

export type SentRequest = Pick<RemoteRequest, 'path' | 'body' | 'answerLimits'>;

/** What the choice of an endpoint knows about a prompt. */
export interface RoutedPrompt {
  /** The start of the prompt, or of the conversation as text. */
  readonly prefix: string;
  /** The request for its tokens, or the tokens themselves. Undefined: they cannot be known before. */
  readonly toTokens?: ((target: Target) => SentRequest | readonly number[] | undefined) | undefined;
}
