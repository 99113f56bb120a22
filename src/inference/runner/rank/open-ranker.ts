// What a loaded reranker needs to score documents: a context with its head, and the form of its prompts.

import { findRankHead, type RankHead } from '../../../formats/gguf/rank-head.ts';
import type { EmbedContext } from '../embed/embed-context.ts';
import { decideRankMethod } from '../embed/embed-params.ts';
import { type ModelParts, openContext } from '../embed/open-embed-context.ts';
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
export function openRanker(parts: ModelParts, options: RankTokenizerOptions): Ranker | undefined {
  const head = findRankHead(parts.file);
  if (head === undefined) return undefined;
  const { api, model } = parts;
  const width = api.modelClassifierOutputs(model);
  return {
    context: openContext(parts, { method: decideRankMethod(head), width, memory: 'ranking' }),
    tokenizer: openTokenizer(parts, head, options),
  };
}

function openTokenizer({ api }: ModelParts, { template }: RankHead, options: RankTokenizerOptions): RankTokenizer {
  const { vocabulary } = options;
  if (template === undefined) return createFrameTokenizer(readPairFrame(api, vocabulary.pointer), options);
  return createTemplateTokenizer(parseRankTemplate(template, vocabulary), options);
}
