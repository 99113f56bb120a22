// Turns a generate command into a sequence: prompt, sampler, limits.

import type { Clock } from '../../../../base/time/clock.ts';
import type { GenerateCommand } from '../../../protocol/messages.ts';
import type { DraftModel } from '../../draft/draft-model.ts';
import type { PredictionHead } from '../../draft/prediction-head.ts';
import type { HeldImage, ImageEncoder } from '../../vision/image-encoder.ts';
import { type PromptImage, withoutImages } from '../../vision/image-positions.ts';
import { randomSeed } from '../sampling/chains.ts';
import type { SamplerSources } from '../sampling/choices.ts';
import { createLogprobLog, watchSampler } from '../sampling/logprobs.ts';
import { PromptScores } from '../sampling/prompt-scores.ts';
import { createRepetitionGuard } from '../sampling/repetition-guard.ts';
import { createSampler } from '../sampling/sampler.ts';
import { Thinking } from '../sampling/thinking.ts';
import type { DraftHistory } from '../speculation/draft-history.ts';
import type { Drafters } from '../speculation/drafter.ts';
import { createModelDrafter, type ModelGuess } from '../speculation/model-drafter.ts';
import { createNgramDrafter } from '../speculation/ngram-drafter.ts';
import type { PassCosts } from '../speculation/pass-costs.ts';
import { createAnswerPieces, type TokenPieces } from '../text/answer-pieces.ts';
import { createTextStream } from '../text/text-stream.ts';
import { toAdapterSet } from './adapter-set.ts';
import { preparePrompt } from './prompt.ts';
import { type RequestSettings, toRequestSettings } from './request-settings.ts';
import { createSequence, type Sequence } from './sequence.ts';

// An answer without num_predict may fill the context this many times.
const maxContexts = 10;
// More of a prediction than the context has room for is not tokenized. Most tokens are shorter than this.
const charactersPerToken = 8;

interface SequenceSources extends SamplerSources {
  readonly tokenPieces: TokenPieces;
  /** The number of adapters of the model. */
  readonly adapters: number;
  readonly imageEncoder: ImageEncoder | undefined;
  /** Whether requests may speculate. */
  readonly speculation: boolean;
  readonly draftModel: DraftModel | undefined;
  readonly head: PredictionHead | undefined;
  readonly passCosts: PassCosts;
  readonly draftHistory: DraftHistory;
  readonly clock: Clock;
}

export function toSequence(sources: SequenceSources, command: GenerateCommand): Sequence {
  const held: HeldImage[] = [];
  const releaseImages = (): void => {
    for (const image of held.splice(0)) image.release();
  };
  try {
    return assemble(sources, command, {
      encode: (number) => {
        const file = command.images?.[number];
        if (file === undefined || sources.imageEncoder === undefined) return undefined;
        const image = sources.imageEncoder.encode(Buffer.from(file, 'base64'));
        held.push(image);
        return image;
      },
      releaseImages,
    });
  } catch (error) {
    releaseImages();
    throw error;
  }
}

function assemble(
  sources: SequenceSources,
  command: GenerateCommand,
  {
    encode,
    releaseImages,
  }: { readonly encode: (number: number) => PromptImage | undefined; readonly releaseImages: () => void },
): Sequence {
  const { vocabulary, contextLength } = sources;
  const settings = toRequestSettings(command.options);
  const { numKeep, maxTokens, minTokens, mayEnd, stopSequences, sampler: sampling } = settings;
  const freeTokens = mayEnd ? minTokens : Number.POSITIVE_INFINITY;
  const adapters = toAdapterSet(settings.adapters, sources.adapters);
  const { tokens, images, dropped, keep } = preparePrompt(vocabulary, { ...command, numKeep, encode }, contextLength);
  const pieceOf = createAnswerPieces(sources.tokenPieces, command.keepTokens);
  const tags = command.thinking;
  const thinking = tags && new Thinking(tags);
  const chosenBy = { ...sampling, fillsGap: command.fillsGap };
  const plain = createSampler(sources, chosenBy, { ...command, thinking, minTokens: freeTokens });
  const logprobs =
    command.topLogprobs === undefined ? undefined : createLogprobLog(vocabulary, { top: command.topLogprobs, pieceOf });
  const sampler = logprobs === undefined ? plain : watchSampler(plain, sources.context, logprobs);
  for (const token of withoutImages(tokens, images)) sampler.observe(token);
  return createSequence(command, {
    adapters,
    tokens,
    images,
    releaseImages,
    droppedTokens: dropped,
    keep,
    budget: budgetOf(maxTokens, contextLength),
    sampler,
    thinking: command.thinking && thinking,
    seeded: sampling.seed !== randomSeed,
    pieceOf,
    text: createTextStream(stopSequences, minTokens),
    guard: createRepetitionGuard(freeTokens),
    logprobs,
    promptScores: command.promptLogprobs && new PromptScores(vocabulary, command.promptLogprobs),
    drafters: createDrafters(sources, { ...settings, ...command, hasImages: images.length > 0 }),
  });
}

interface DraftRequest
  extends Pick<RequestSettings, 'speculates' | 'draftLength'>,
    Pick<GenerateCommand, 'id' | 'partition' | 'prediction'> {
  readonly hasImages: boolean;
}

function createDrafters(sources: SequenceSources, request: DraftRequest): Drafters | undefined {
  const { vocabulary, passCosts: costs, draftHistory: history, clock } = sources;
  const { draftLength: length, prediction: predicted } = request;
  if (!sources.speculation || !request.speculates) return undefined;
  const ngram = createNgramDrafter(costs);
  const expected = predicted?.slice(0, sources.contextLength * charactersPerToken);
  const prediction =
    expected === undefined
      ? undefined
      : createNgramDrafter(costs, vocabulary.tokenize(expected, { addSpecial: false, plain: true }));
  const draft = modelOf(sources, request);
  // Neither a draft model nor a prediction head sees images.
  if (draft === undefined || request.hasImages || length === 0) return { prediction, ngram };
  return { prediction, ngram, model: createModelDrafter({ draft, costs, history, clock, length }) };
}

function modelOf({ draftModel, head }: SequenceSources, { id, partition = '' }: DraftRequest): ModelGuess | undefined {
  if (draftModel !== undefined) return (tokens, count) => draftModel.draft(tokens, { count, partition });
  return head && ((tokens, count) => head.draft(tokens, { count, request: id }));
}

function budgetOf(maxTokens: number, contextLength: number): number {
  const limit = maxContexts * contextLength;
  return maxTokens <= 0 ? limit : Math.min(maxTokens, limit);
}
