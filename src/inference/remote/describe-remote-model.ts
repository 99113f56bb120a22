// What a remote says about one of its models, for the model that is created from it.

import { HearthError } from '../../base/errors.ts';
import type { RemoteReference } from '../../models/remote-reference.ts';
import type { NamedEndpoint, RemoteHttp } from './http/remote-http.ts';
import { toCount, toList, toObject, toText } from './json/json-fields.ts';
import type { EndpointFacts, EndpointFeature, ServedModel } from './probe/endpoint-facts.ts';
import type { Prober } from './probe/prober.ts';
import type { RemoteStore } from './remotes/remote-store.ts';

interface RemoteModelDescription {
  readonly capabilities: readonly string[];
  readonly contextLength?: number;
}

/** Throws `remote_not_found`, and `bad_request` if the remote does not have the model. */
export type DescribeRemoteModel = (reference: RemoteReference, signal: AbortSignal) => Promise<RemoteModelDescription>;

interface DescribeServices {
  readonly remotes: Pick<RemoteStore, 'find'>;
  readonly http: Pick<RemoteHttp, 'call'>;
  readonly prober: Prober;
}

/** The description of a model whose remote cannot be reached now. */
const unknown: RemoteModelDescription = { capabilities: ['completion', 'tools'] };
const capabilityOf: Readonly<Partial<Record<EndpointFeature, string>>> = {
  chat: 'completion',
  embeddings: 'embedding',
  rerank: 'rerank',
  tools: 'tools',
};
const timeoutMs = 5000;
const maxShown = 10;

export function createDescribeRemoteModel({ remotes, http, prober }: DescribeServices): DescribeRemoteModel {
  const ask = async (endpoint: NamedEndpoint, model: string, signal: AbortSignal): Promise<RemoteModelDescription> => {
    const facts = await prober.facts(endpoint, signal);
    const served = endpoint.servedModel || model;
    const found = findServed(facts, served);
    if (found === undefined) throw noModel(endpoint.remote, served, facts);
    if (facts.kind !== 'ollama') return fromFacts(facts, found);
    const request = { method: 'POST', path: '/api/show', body: { model: served }, timeout: timeoutMs, signal } as const;
    return fromShow(await http.call(endpoint, request));
  };

  return async ({ remote, model }, signal) => {
    const record = remotes.find(remote);
    if (record === undefined) throw new HearthError('remote_not_found', `there is no remote "${remote}"`);
    for (const endpoint of record.endpoints) {
      try {
        return await ask({ ...endpoint, remote }, model, signal);
      } catch (error) {
        const isFinal = error instanceof HearthError && (error.code === 'bad_request' || error.code === 'cancelled');
        if (isFinal) throw error;
      }
    }
    return unknown;
  };
}

/** Ollama lists the tag that names may leave out. */
function findServed({ models }: EndpointFacts, name: string): ServedModel | undefined {
  return models.find(({ id }) => id === name || id === `${name}:latest`);
}

function noModel(remote: string, model: string, { models }: EndpointFacts): HearthError {
  const names = models.slice(0, maxShown).map(({ id }) => id.slice(0, 100));
  const offered =
    names.length === 0 ? 'it lists none' : `it has ${names.join(', ')}${models.length > maxShown ? ', …' : ''}`;
  return new HearthError('bad_request', `the remote "${remote}" does not have the model "${model}"; ${offered}`);
}

function fromFacts({ features }: EndpointFacts, { contextLength }: ServedModel): RemoteModelDescription {
  const capabilities = [...features].map((feature) => capabilityOf[feature]).filter((name) => name !== undefined);
  return { capabilities, contextLength };
}

function fromShow(answer: unknown): RemoteModelDescription {
  const { capabilities, model_info: info } = toObject(answer);
  const entries = Object.entries(toObject(info));
  const contextLength = toCount(entries.find(([name]) => name.endsWith('.context_length'))?.[1]);
  return {
    // A request with a suffix needs a template of this server.
    capabilities: toList(capabilities)
      .map(toText)
      .filter((name) => name !== '' && name !== 'insert')
      .slice(0, maxShown),
    contextLength: contextLength === 0 ? undefined : contextLength,
  };
}
