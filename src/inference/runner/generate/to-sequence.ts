// From a generate command to a sequence: prompt, sampler, limits.

import type { GenerateCommand } from '../../protocol/messages.ts';
import type { Eyes, HeldPicture } from '../vision/image-encoder.ts';
import { createLogprobLog, watchSampler } from './sampling/logprobs.ts';
import { type Picture, withoutPictures } from '../vision/image-positions.ts';
import { preparePrompt } from './prompt.ts';
import { createRepetitionGuard } from './sampling/repetition-guard.ts';
import { createSampler, type SamplerSources } from './sampling/sampler.ts';
import { createSequence, type Sequence } from './sequence.ts';
import { createTextStream } from './text-stream.ts';

// An answer without a limit of its own may fill the context this many times.
const mostContexts = 10;

export interface SequenceSources extends SamplerSources {
  readonly eyes: Eyes | undefined;
}

export function toSequence(sources: SequenceSources, command: GenerateCommand): Sequence {
  const held: HeldPicture[] = [];
  const releasePictures = (): void => {
    for (const picture of held.splice(0)) picture.release();
  };
  try {
    return assemble(sources, command, {
      look: (number) => {
        const file = command.images?.[number];
        if (file === undefined || sources.eyes === undefined) return undefined;
        const picture = sources.eyes.look(Buffer.from(file, 'base64'));
        held.push(picture);
        return picture;
      },
      releasePictures,
    });
  } catch (error) {
    releasePictures();
    throw error;
  }
}

interface PictureAccess {
  readonly look: (number: number) => Picture | undefined;
  readonly releasePictures: () => void;
}

function assemble(
  sources: SequenceSources,
  command: GenerateCommand,
  { look, releasePictures }: PictureAccess,
): Sequence {
  const { vocabulary, contextLength } = sources;
  const { tokens, pictures, dropped, keep } = preparePrompt(vocabulary, { ...command, look }, contextLength);
  const plain = createSampler(sources, command.sampling);
  const logprobs = command.topLogprobs === undefined ? undefined : createLogprobLog(vocabulary, command.topLogprobs);
  const sampler = logprobs === undefined ? plain : watchSampler(plain, sources.context, logprobs);
  for (const token of withoutPictures(tokens, pictures)) sampler.observe(token);
  return createSequence(command, {
    tokens,
    pictures,
    releasePictures,
    droppedTokens: dropped,
    keep,
    budget: budgetOf(command.numPredict, contextLength),
    sampler,
    text: createTextStream(command.stop),
    guard: createRepetitionGuard(),
    logprobs,
  });
}

/** At least one token: a caller that asks for none still learns how the answer would begin. */
export function budgetOf(numPredict: number, contextLength: number): number {
  const most = mostContexts * contextLength;
  return numPredict < 0 ? most : Math.min(Math.max(1, numPredict), most);
}
