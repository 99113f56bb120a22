// The grammar of an answer: from its format, or from the tools that it must or may call.

import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { GenerateRequest } from '../../engine/ports.ts';
import type { CallConstraint } from './hold-calls.ts';

type Constraint = Pick<GenerateRequest, 'grammar' | 'lazyGrammar'>;

/** A required call is more important than a format, and a format than a call that the model may make. */
export function constrainAnswer(
  { hasChannels }: PromptTemplate,
  formatGrammar: string | undefined,
  held: CallConstraint = {},
): Constraint {
  if (held.grammar !== undefined || formatGrammar === undefined) return held;
  return hasChannels ? inLastChannel(formatGrammar) : { grammar: formatGrammar };
}

/** A grammar for the content of an answer in channels, as those of gpt-oss. */
function inLastChannel(grammar: string): Constraint {
  const triggers = [{ text: '<|channel|>final<|message|>', atStart: false }];
  return { lazyGrammar: { grammar, triggers, afterTrigger: true } };
}
