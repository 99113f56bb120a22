// The endpoints of a remote: servers that run the same models, and the choice among them for one request.

export const remoteKinds = ['vllm', 'sglang', 'llama-server', 'ollama', 'openai'] as const;

export type RemoteKind = (typeof remoteKinds)[number];

export interface Endpoint {
  /** Unique within its remote, and stable while its URL is. */
  readonly id: string;
  /** Without a trailing slash and without `/v1`: `https://gpu1.example:8000`. */
  readonly url: string;
  /** `auto`: asked when it is first used. */
  readonly kind: RemoteKind | 'auto';
  /** The name of the model there. Empty: the one that the request names. */
  readonly servedModel: string;
  /** Where its key is: `file:PATH` or `env:NAME`. Empty: it needs none. */
  readonly keyRef: string;
  /** A PEM file with authorities to trust besides the known ones. Empty: none. */
  readonly caFile: string;
  /** The port of its cache events, and after a comma that on which it repeats them. Absent: it has none. */
  readonly events?: string | undefined;
}

/**
 * How a request at an endpoint ended. `refused`: the endpoint is alive and rejected this request. `busy`: it is alive and
 * has too much work. `failed`: it could not be reached, did not answer in time, or broke off.
 */
export type Outcome = 'ok' | 'refused' | 'busy' | 'failed' | 'canceled';

export interface Choice {
  readonly endpoint: Endpoint;
  /** The endpoint has sent a part of an answer. */
  begun(): void;
  /** Ends the use of the endpoint. Called once. */
  release(outcome: Outcome): void;
}

/** Chooses endpoints for the requests of one model. */
export interface Router {
  /**
   * `prefix` is the start of the prompt, or of the conversation as text: requests that share it may share evaluated
   * prompts. `excluding` has ids of endpoints that this request has tried. `tokens`: those of the prompt, if they are
   * known. Undefined: none is left.
   */
  choose(prefix: string, excluding: ReadonlySet<string>, tokens?: readonly number[]): Choice | undefined;
  /** An endpoint to ask for the tokens of a prompt. Undefined: `choose` has no use for them. */
  tokenizer(): Endpoint | undefined;
  /** The endpoints were added or removed. Running requests keep theirs. */
  update(endpoints: readonly Endpoint[]): void;
  close(): void;
}

export type CreateRouter = (remote: string, endpoints: readonly Endpoint[]) => Router;
