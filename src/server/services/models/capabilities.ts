// The capabilities of a model, as the API names them.

import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ModelFacts } from './model-facts.ts';

export type Capability = 'completion' | 'embedding' | 'vision' | 'tools' | 'insert' | 'thinking';

export function capabilitiesOf(model: {
  readonly facts: ModelFacts;
  readonly template: PromptTemplate;
  readonly hasVision: boolean;
}): Capability[] {
  const { facts, template, hasVision } = model;
  if (facts.embedsOnly) return ['embedding'];
  return [
    'completion',
    ...(hasVision ? (['vision'] as const) : []),
    ...(template.supportsTools ? (['tools'] as const) : []),
    ...(template.supportsInsertion ? (['insert'] as const) : []),
    ...(template.thinkingTags ? (['thinking'] as const) : []),
  ];
}
