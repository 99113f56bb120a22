// What an endpoint is and what it can do: asked from the endpoint where it tells, otherwise known of its kind.

import type { RemoteKind } from '../endpoint.ts';
import { toCount, toList, toObject, toText, type WireObject } from '../json/json-fields.ts';

const features = [
  'chat',
  'completions',
  'embeddings',
  'rerank',
  'tokenize',
  'schema',
  'reasoning',
  'tools',
  'images',
  'logprobs',
  'sleep',
] as const;

export type EndpointFeature = (typeof features)[number];

export interface ServedModel {
  readonly id: string;
  /** The context length in tokens. Absent: the endpoint does not tell. */
  readonly contextLength?: number;
}

export interface EndpointFacts {
  readonly kind: RemoteKind;
  readonly models: readonly ServedModel[];
  readonly features: ReadonlySet<EndpointFeature>;
  /** Empty if the endpoint does not tell. */
  readonly version: string;
  /** The version of a Hearth, whose kind is that of Ollama. */
  readonly hearth?: string;
}

// With their models loaded, all of these can be asked; a model may still refuse images or tools.
const answerFeatures: readonly EndpointFeature[] = ['chat', 'completions', 'schema', 'tools', 'images', 'logprobs'];

/** What endpoints without a description of their paths usually have. */
const usualFeatures: Readonly<Record<RemoteKind, readonly EndpointFeature[]>> = {
  openai: [...answerFeatures, 'embeddings'],
  vllm: [...answerFeatures, 'reasoning', 'tokenize'],
  sglang: [...answerFeatures, 'reasoning', 'tokenize'],
  'llama-server': [...answerFeatures, 'reasoning', 'embeddings', 'rerank', 'tokenize'],
  ollama: [...answerFeatures, 'reasoning', 'embeddings'],
};

const featureOfPath: Readonly<Record<string, EndpointFeature>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/embeddings': 'embeddings',
  '/rerank': 'rerank',
  '/v1/rerank': 'rerank',
  '/sleep': 'sleep',
  '/release_memory_occupation': 'sleep',
};
const pathFeatures: ReadonlySet<EndpointFeature> = new Set([...Object.values(featureOfPath), 'tokenize']);

/** Each kind has another request for it. */
export const tokenizePaths: Readonly<Record<RemoteKind, string>> = {
  openai: '/tokenize',
  vllm: '/tokenize',
  sglang: '/v1/tokenize',
  'llama-server': '/tokenize',
  ollama: '/api/tokenize',
};

const kindOfOwner: Readonly<Record<string, RemoteKind>> = {
  vllm: 'vllm',
  sglang: 'sglang',
  llamacpp: 'llama-server',
};

/** The answers of an endpoint. Those that it does not have are empty objects. */
export interface ProbeAnswers {
  /** GET /v1/models */
  readonly models: WireObject;
  /** GET /api/version */
  readonly ollamaVersion: WireObject;
  /** GET /openapi.json */
  readonly openApi: WireObject;
}

/** Models of one endpoint that are kept. */
const maxModels = 10_000;

export function toEndpointFacts(given: RemoteKind | 'auto', answers: ProbeAnswers): EndpointFacts {
  const entries = toList(answers.models['data']).slice(0, maxModels).map(toObject);
  const kind = given === 'auto' ? detectKind(entries, answers) : given;
  return {
    kind,
    models: entries.map(toServedModel).filter(({ id }) => id !== ''),
    features: featuresOf(kind, Object.keys(toObject(answers.openApi['paths']))),
    hearth: toText(answers.ollamaVersion['hearth']) || undefined,
    version: toText(answers.ollamaVersion['version']) || toText(toObject(answers.openApi['info'])['version']),
  };
}

function detectKind(entries: readonly WireObject[], { ollamaVersion }: ProbeAnswers): RemoteKind {
  const owners = entries.map((entry) => kindOfOwner[toText(entry['owned_by'])]);
  const [owner] = owners.filter((kind) => kind !== undefined);
  if (owner !== undefined) return owner;
  return toText(ollamaVersion['version']) === '' ? 'openai' : 'ollama';
}

function toServedModel(entry: WireObject): ServedModel {
  const contextLength = toCount(entry['max_model_len']) || toCount(toObject(entry['meta'])['n_ctx']);
  return { id: toText(entry['id']), contextLength: contextLength === 0 ? undefined : contextLength };
}

/** A description of the paths says which of them exist, and nothing about the rest. */
function featuresOf(kind: RemoteKind, paths: readonly string[]): ReadonlySet<EndpointFeature> {
  const usual = usualFeatures[kind];
  const described = paths
    .map((path) => (path === tokenizePaths[kind] ? 'tokenize' : featureOfPath[path]))
    .filter((feature) => feature !== undefined);
  if (described.length === 0) return new Set(usual);
  return new Set([...usual.filter((feature) => !pathFeatures.has(feature)), ...described]);
}
