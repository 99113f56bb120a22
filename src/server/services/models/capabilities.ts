// The capabilities of a model, as the API names them.

import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ModelSource } from '../../../inference/engine/model-source.ts';
import type { ModelFacts } from './model-facts.ts';

const allCapabilities = ['completion', 'embedding', 'rerank', 'vision', 'tools', 'insert', 'thinking'] as const;
export type Capability = (typeof allCapabilities)[number];

export function capabilitiesOf(model: {
  readonly facts: ModelFacts;
  readonly template: PromptTemplate;
  readonly files: ModelSource;
}): Capability[] {
  const { facts, template, files } = model;
  if (files.kind === 'remote') return allCapabilities.filter((name) => files.capabilities.includes(name));
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
