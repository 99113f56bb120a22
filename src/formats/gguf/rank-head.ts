// The rank head of a reranker: the last layers, which turn a query and a document into a score.

import type { Gguf } from './read-gguf.ts';

export interface RankHead {
  /**
   * A decoder is asked whether the document answers the query. Its score is the probability of "yes", read at the last
   * token. Other models have a classifier, whose score is a logit.
   */
  readonly ofDecoder: boolean;
  /** The prompt, with {query} and {document}. Absent: special tokens separate the two texts. */
  readonly template?: string;
  /** The names of the outputs, if the file has them. */
  readonly labels?: readonly string[] | undefined;
}

const rankPooling = 4;
// In llama.cpp, only these architectures read the last token and end in a softmax.
const decoders: ReadonlySet<unknown> = new Set(['qwen3', 'qwen3vl']);

/** Undefined if the model is not a reranker, or if its file lacks the head. */
export function findRankHead({ metadata, tensors }: Pick<Gguf, 'metadata' | 'tensors'>): RankHead | undefined {
  const architecture = metadata.get('general.architecture');
  if (metadata.get(`${architecture}.pooling_type`) !== rankPooling) return undefined;
  if (!tensors.some(isOutput)) return undefined;
  const template = metadata.get('tokenizer.chat_template.rerank');
  return {
    ofDecoder: decoders.has(architecture),
    template: typeof template === 'string' ? template : undefined,
    labels: readLabels(metadata.get(`${architecture}.classifier.output_labels`)),
  };
}

function readLabels(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((label) => typeof label === 'string') ? value : undefined;
}

// Without one of these, llama.cpp returns numbers that are no scores. `cls.weight` is mostly a layer before the output.
function isOutput({ name, shape }: Gguf['tensors'][number]): boolean {
  return name === 'cls.output.weight' || (name === 'cls.weight' && (shape[1] ?? 1) === 1);
}
