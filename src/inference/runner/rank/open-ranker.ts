// What a loaded reranker needs to score documents: a context with its head, and the form of its prompts.

import { findRankHead, type RankHead } from '../../../formats/gguf/rank-head.ts';
import type { EmbedContext } from '../embed/embed-context.ts';
import { decideRankMethod } from '../embed/embed-params.ts';
import { type ModelSources, openContext } from '../embed/open-embed-context.ts';
import { readPairFrame } from './pair-frame.ts';
import { parseRankTemplate } from './rank-template.ts';
import {
  createFrameTokenizer,
  createTemplateTokenizer,
  type RankTokenizer,
  type RankTokenizerOptions,
} from './rank-tokenizer.ts';

export interface Ranker {
  readonly context: EmbedContext;
  readonly tokenizer: RankTokenizer;
}

/** Undefined if the model is not a reranker. */
export function openRanker(sources: ModelSources, options: RankTokenizerOptions): Ranker | undefined {
  const head = findRankHead(sources.file);
  if (head === undefined) return undefined;
  const { api, model } = sources;
  const width = api.modelClassifierOutputs(model);
  return {
    context: openContext(sources, { method: decideRankMethod(head), width, memory: 'ranking' }),
    tokenizer: openTokenizer(sources, head, options),
  };
}

function openTokenizer({ api }: ModelSources, { template }: RankHead, options: RankTokenizerOptions): RankTokenizer {
  const { vocabulary } = options;
  if (template === undefined) return createFrameTokenizer(readPairFrame(api, vocabulary.pointer), options);
  return createTemplateTokenizer(parseRankTemplate(template, vocabulary), options);
}
