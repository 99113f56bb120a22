// Loads the draft model of a request: its weights, and a context for one sequence.

import { HearthError } from '../../../base/errors.ts';
import { createBatch } from '../llama/batch.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { Threads } from '../llama/context.ts';
import { createContext } from '../llama/context.ts';
import { canRemoveMiddle, type MemoryKind, memoryKindOf } from '../llama/memory-kind.ts';
import { createVocabulary, type Vocabulary } from '../llama/vocabulary.ts';
import { loadWeights, type WeightsSource } from '../llama/weights-source.ts';
import { createContextFactory } from '../load/context-factory.ts';
import { type ContextShape, type LoadPlan, toContextParams, toModelParams } from '../load/load-params.ts';
import type { MemoryMeter } from '../load/memory-meter.ts';
import { createDraftModel, type DraftModel } from './draft-model.ts';

interface DraftModelSources {
  readonly api: LlamaApi;
  readonly plan: LoadPlan;
  readonly threads: Threads;
  readonly meter: MemoryMeter;
  /** The model that verifies. */
  readonly target: {
    readonly vocabulary: Pick<Vocabulary, 'size'>;
    readonly memory: MemoryKind;
    readonly shape: ContextShape;
  };
}

/** Vocabularies are padded differently for models of different sizes. The server has compared the tokens. */
const maxSizeDifference = 128;
const withoutDraft = 'Set the option draft_model to "" to load the model without a draft model.';

export function openDraftModel(weights: WeightsSource, sources: DraftModelSources): DraftModel {
  const { api, plan, threads, meter, target } = sources;
  if (!canRemoveMiddle(target.memory))
    throw refused('a model with a recurrent state cannot verify the tokens of a draft model');
  return meter.measure('draft', () => {
    const model = loadWeights(api, weights, toModelParams(api.modelDefaultParams(), plan.settings));
    if (model === null) throw refused('llama.cpp could not load the draft model');
    const vocabulary = createVocabulary(api, api.modelVocab(model));
    if (Math.abs(vocabulary.size - target.vocabulary.size) > maxSizeDifference)
      throw refused('the draft model has another vocabulary');
    const trained = api.modelTrainedContext(model);
    const { contextLength: wanted, threads: threadCount } = target.shape;
    const contextLength = trained > 0 ? Math.min(trained, wanted) : wanted;
    const shape = { contextLength, parallel: 1, threads: threadCount };
    // Drafts need no precision, but quantized types do not fit every model.
    const params = toContextParams(
      api.contextDefaultParams(),
      { ...plan, cacheTypes: { keys: 'f16', values: 'f16' } },
      shape,
    );
    const pointer = createContextFactory(api, model, [])(params);
    if (pointer === undefined || api.memory(pointer) === null)
      throw refused('llama.cpp could not create a context of the draft model');
    const memory = memoryKindOf(api, model, pointer);
    if (!canRemoveMiddle(memory)) throw refused('a model with a recurrent state cannot be a draft model');
    return createDraftModel({
      context: createContext(api, pointer, { vocabularySize: vocabulary.size, memory, threads }),
      batch: createBatch(plan.settings.numBatch),
      contextLength,
      vocabularySize: target.vocabulary.size,
      isEnd: vocabulary.isEnd,
    });
  });
}

function refused(reason: string): HearthError {
  return new HearthError('load_failed', `${reason}. ${withoutDraft}`);
}
