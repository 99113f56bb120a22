// Facts from the GGUF header of a model's weights. Read once per file: the content of a digest never changes.

import { createLruCache } from '../../../base/lru-cache.ts';
import type { JinjaSource } from '../../../formats/chat/jinja/jinja-renderer.ts';
import { compareVocabularies } from '../../../formats/gguf/compare-vocabularies.ts';
import { readDialect } from '../../../formats/gguf/dialect/read-dialect.ts';
import { bytesOfTensor } from '../../../formats/gguf/dialect/translation.ts';
import { findGapTokens, type GapTokens } from '../../../formats/gguf/gap-tokens.ts';
import { layerWeights } from '../../../formats/gguf/layer-weights.ts';
import type { GgufMetadata } from '../../../formats/gguf/metadata.ts';
import { findRankHead } from '../../../formats/gguf/rank-head.ts';
import type { Gguf } from '../../../formats/gguf/read-gguf.ts';
import type { ModelShape, ModelWeights } from '../../engine/ports.ts';
import type { HostedModelSource, LocalModelSource, ModelSource, RemoteModelSource } from '../../model/model-source.ts';

export interface ModelFacts {
  /** An embedding model, which cannot generate text. */
  readonly embedsOnly: boolean;
  /** What the scores of a reranker are. Absent for other models. */
  readonly rankScores?: 'logits' | 'probabilities';
  /** The names of a classifier's outputs. Absent if its file has none. */
  readonly labels?: readonly string[] | undefined;
  /** Absent if llama.cpp loads the files as they are. */
  readonly translated?: TranslatedFacts;
  /** Absent if the header does not contain it; so are the next two. */
  readonly contextLength?: number;
  readonly embeddingLength?: number;
  readonly shape?: ModelShape;
  /** What the projector reads, if it is a file of its own. */
  readonly media?: ProjectedMedia;
}

interface ProjectedMedia {
  readonly images: boolean;
  readonly audio: boolean;
}

interface TranslatedFacts {
  /** The row of the dialect. */
  readonly row: string;
  /** Whether the weights are translated. */
  readonly weights: boolean;
  /** The size of the image encoder in the file of the weights. Absent if there is none. */
  readonly ownProjectorBytes?: number;
  /** Whether the projector, which is a file of its own, is translated. */
  readonly projector: boolean;
}

export interface ModelFactsReader {
  read(files: ModelSource): Promise<ModelFacts>;
  /** The Jinja template in the weights, or the one that replaces it, if any. Also reads the vocabulary, for the texts of special tokens. */
  readChatTemplate(files: ModelSource): Promise<JinjaSource | undefined>;
  /** The tokens around a gap in a text; undefined if the vocabulary has none, or is that of a remote. */
  readGapTokens(files: ModelSource): Promise<GapTokens | undefined>;
  /** How the vocabulary of a draft model differs; undefined if it fits. */
  compareVocabularies(files: LocalModelSource, draft: DraftWeights): Promise<string | undefined>;
}

interface DraftWeights {
  readonly digest: string;
  readonly weightsPath: string;
}

export function createModelFactsReader(): ModelFactsReader {
  const comparisons = createLruCache<Promise<string | undefined>>(maxCached);
  const readFacts = cacheByKey<ModelFacts>(readFactsOf, { embedsOnly: false });
  const readTemplate = cacheByKey(
    async ({ weightsPath }) => toChatTemplate(await readView(weightsPath)),
    unknownTemplate,
  );
  const readGaps = cacheByKey(
    async ({ weightsPath }) => findGapTokens((await readView(weightsPath)).metadata),
    undefined,
  );
  return {
    read: async (files) => (files.kind !== 'local' ? toRemoteFacts(files) : readFacts(files)),
    async readChatTemplate(files) {
      if (files.kind !== 'local') return undefined;
      const inWeights = await readTemplate(files);
      const source = files.chatTemplate ?? inWeights.source;
      return source === undefined ? undefined : { ...inWeights, source };
    },
    readGapTokens: async (files) => (files.kind !== 'local' ? undefined : readGaps(files)),
    compareVocabularies: ({ key, weightsPath }, draft) =>
      comparisons.getOrCreate(`${key} ${draft.digest}`, () => compareFiles(weightsPath, draft.weightsPath)),
  };
}

const maxCached = 1000;
// Some entries have a number for each layer. Longer arrays are vocabularies.
const maxLayers = 1024;

function cacheByKey<Facts>(
  read: (files: LocalModelSource) => Promise<Facts>,
  unreadable: Facts,
): (files: LocalModelSource) => Promise<Facts> {
  const cache = createLruCache<Promise<Facts>>(maxCached);
  // Loading an unreadable file fails later, with a better message.
  return (files) => cache.getOrCreate(files.key, () => read(files).catch(() => unreadable));
}

/** With the whole vocabulary. */
async function readView(path: string): Promise<Gguf> {
  return (await readDialect(path)).view;
}

async function readFactsOf({ weightsPath, projectorPath }: LocalModelSource): Promise<ModelFacts> {
  const { view, translation } = await readDialect(weightsPath, { maxArray: maxLayers });
  const projectorFile = projectorPath === undefined ? undefined : await readDialect(projectorPath, { maxArray: 0 });
  const projector = projectorFile?.translation;
  const row = translation?.row ?? (projector ? projector.row : undefined);
  const own = translation?.projector;
  const translated =
    row === undefined
      ? undefined
      : {
          row,
          weights: translation?.weights !== undefined,
          ownProjectorBytes: own?.tensors.reduce((sum, tensor) => sum + bytesOfTensor(tensor), 0),
          projector: Boolean(projector),
        };
  return { ...toFacts(view), translated, media: projectorFile && mediaOf(projectorFile.view) };
}

/** Files from before there were encoders of audio do not say what they read. */
function mediaOf({ metadata }: Gguf): ProjectedMedia {
  const audio = metadata.get('clip.has_audio_encoder') === true;
  return { audio, images: metadata.get('clip.has_vision_encoder') === true || !audio };
}

export function seesImages({ projectorPath }: LocalModelSource, { translated, media }: ModelFacts): boolean {
  return (projectorPath !== undefined && media?.images !== false) || translated?.ownProjectorBytes !== undefined;
}

export function hearsAudio({ media }: ModelFacts): boolean {
  return media?.audio === true;
}

/** What was known when the model was created. */
function toRemoteFacts({ capabilities, contextLength }: RemoteModelSource | HostedModelSource): ModelFacts {
  return {
    embedsOnly: capabilities.length > 0 && !capabilities.includes('completion'),
    // Remotes send scores from 0 to 1.
    rankScores: capabilities.includes('rerank') ? 'probabilities' : undefined,
    contextLength,
  };
}

/** Loading an unreadable model fails later, with a better message. */
async function compareFiles(target: string, draft: string): Promise<string | undefined> {
  const own = await readView(target).catch(() => undefined);
  if (own === undefined) return undefined;
  const other = await readView(draft).catch(() => undefined);
  return other === undefined ? 'its file cannot be read' : compareVocabularies(own, other);
}

function toFacts({ metadata, tensors }: Gguf): ModelFacts {
  const keyOf = (name: string): string => `${String(metadata.get('general.architecture'))}.${name}`;
  const embedsOnly = metadata.has(keyOf('pooling_type'));
  const shape = shapeOf(metadata, embedsOnly);
  const weights = shape && weightsOf({ metadata, tensors }, shape);
  const rankHead = findRankHead({ metadata, tensors });
  return {
    embedsOnly,
    ...(rankHead ? { rankScores: rankHead.ofDecoder ? 'probabilities' : 'logits', labels: rankHead.labels } : {}),
    ...countOf('contextLength', metadata.get(keyOf('context_length'))),
    ...countOf('embeddingLength', metadata.get(keyOf('embedding_length'))),
    shape: shape ? { ...shape, ...(weights ? { weights } : {}) } : undefined,
  };
}

function countOf<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: number } {
  const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
  return (isCount ? { [name]: value } : {}) as { readonly [Key in Name]?: number };
}

type TemplateInWeights = Omit<JinjaSource, 'source'> & { readonly source: string | undefined };

const unknownTemplate: TemplateInWeights = { source: undefined, bosToken: '', eosToken: '' };

function toChatTemplate({ metadata }: Gguf): TemplateInWeights {
  const source = metadata.get('tokenizer.chat_template');
  const tokens = metadata.get('tokenizer.ggml.tokens');
  const tokenText = (key: string): string => {
    const token = Array.isArray(tokens) ? tokens[Number(metadata.get(key) ?? -1)] : undefined;
    return typeof token === 'string' ? token : '';
  };
  return {
    source: typeof source === 'string' ? source : undefined,
    bosToken: tokenText('tokenizer.ggml.bos_token_id'),
    eosToken: tokenText('tokenizer.ggml.eos_token_id'),
  };
}

/** The size of a token in the KV cache, from the dimensions of the network. */
function shapeOf(metadata: GgufMetadata, embedsOnly: boolean): ModelShape | undefined {
  const architecture = String(metadata.get('general.architecture'));
  const entry = (key: string): unknown => metadata.get(`${architecture}.${key}`);
  const layers = Number(entry('block_count'));
  const heads = largestOf(entry('attention.head_count'));
  const width = Number(entry('embedding_length')) / heads;
  const keyLength = Number(entry('attention.key_length') ?? width);
  const valueLength = Number(entry('attention.value_length') ?? width);
  const keyHeads = sumOf(entry('attention.head_count_kv') ?? entry('attention.head_count'), layers);
  const shape = {
    keysPerToken: keyHeads * keyLength,
    valuesPerToken: keyHeads * valueLength,
    keyLength,
    valueLength,
    heads,
    trainedContext: Number(entry('context_length')),
  };
  const isKnown = Object.values(shape).every((value) => Number.isFinite(value) && value > 0);
  return isKnown ? { ...shape, embedsOnly } : undefined;
}

/** The file may declare other heads for each layer, so each has its own part of the KV cache. */
function weightsOf(gguf: Pick<Gguf, 'metadata' | 'tensors'>, { keysPerToken, keyLength }: ModelShape) {
  const found = layerWeights(gguf);
  if (found === undefined) return undefined;
  const { metadata } = gguf;
  const architecture = String(metadata.get('general.architecture'));
  const entry = (key: string): unknown => metadata.get(`${architecture}.${key}`);
  const keyHeads = entry('attention.head_count_kv') ?? entry('attention.head_count');
  const { layers, experts, input, output, vocabulary } = found;
  const shareOf = (layer: number): number =>
    Array.isArray(keyHeads) ? (Number(keyHeads[layer] ?? 0) * keyLength) / keysPerToken : 1 / layers.length;
  const widths = [entry('embedding_length'), entry('feed_forward_length')].map(largestOf).filter(Number.isFinite);
  return {
    layers: layers.map((bytes, layer) => ({ bytes, expertBytes: experts[layer], cacheShare: shareOf(layer) })),
    input,
    output,
    vocabulary,
    width: Math.max(...widths),
  } satisfies ModelWeights;
}

// Most models have one number for all layers. Hybrid models have a list, with 0 for layers without attention.
function sumOf(value: unknown, layers: number): number {
  return Array.isArray(value) ? value.reduce((sum: number, item) => sum + Number(item), 0) : layers * Number(value);
}

function largestOf(value: unknown): number {
  return Array.isArray(value) ? value.reduce((most: number, item) => Math.max(most, Number(item)), 0) : Number(value);
}
