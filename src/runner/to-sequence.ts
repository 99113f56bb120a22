// From a generate command to a sequence: prompt, sampler, limits.

import type { GenerateCommand } from '../protocol/messages.ts';
import { preparePrompt } from './prompt.ts';
import { createRepetitionGuard } from './repetition-guard.ts';
import { createSampler, type SamplerSources } from './sampler.ts';
import { createSequence, type Sequence } from './sequence.ts';
import { createTextStream } from './text-stream.ts';

// An answer without a limit of its own may fill the context this many times.
const mostContexts = 10;

export function toSequence(sources: SamplerSources, command: GenerateCommand): Sequence {
  const { vocabulary, contextLength } = sources;
  const prompt = preparePrompt(vocabulary, command, contextLength);
  const sampler = createSampler(sources, command.sampling);
  for (const token of prompt.tokens) sampler.observe(token);
  return createSequence(command, {
    tokens: prompt.tokens,
    droppedTokens: prompt.dropped,
    keep: prompt.keep,
    budget: budgetOf(command.numPredict, contextLength),
    sampler,
    text: createTextStream(command.stop),
    guard: createRepetitionGuard(),
  });
}

/** At least one token: a caller that asks for none still learns how the answer would begin. */
export function budgetOf(numPredict: number, contextLength: number): number {
  const most = mostContexts * contextLength;
  return numPredict < 0 ? most : Math.min(Math.max(1, numPredict), most);
}
