// The capabilities of a model, as the API names them.

import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { LocalModelSource } from '../../../inference/engine/model-source.ts';
import type { ModelFacts } from './model-facts.ts';

export type Capability = 'completion' | 'embedding' | 'rerank' | 'vision' | 'tools' | 'insert' | 'thinking';

export function capabilitiesOf(model: {
  readonly facts: ModelFacts;
  readonly template: PromptTemplate;
  readonly files: Pick<LocalModelSource, 'projectorPath'>;
}): Capability[] {
  const { facts, template, files } = model;
  // A reranker embeds as well, but its vectors are of no use.
  if (facts.rankScores !== undefined) return ['rerank'];
  if (facts.embedsOnly) return ['embedding'];
  const hasVision = facts.hasImageEncoder || files.projectorPath !== undefined;
  return [
    'completion',
    ...(hasVision ? (['vision'] as const) : []),
    ...(template.supportsTools ? (['tools'] as const) : []),
    ...(template.supportsInsertion ? (['insert'] as const) : []),
    ...(template.thinkingTags ? (['thinking'] as const) : []),
  ];
}
