// Opens the prediction head of a model: a context of its own for one sequence, with the weights of the model.

import { hasPredictionHead } from '../../../formats/gguf/prediction-head.ts';
import type { Gguf } from '../../../formats/gguf/read-gguf.ts';
import { createBatch } from '../llama/batch.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { Address, ContextPointer, ModelPointer } from '../llama/bindings/pointers.ts';
import { createContext, type Threads } from '../llama/context.ts';
import { createLogitViews } from '../llama/logit-views.ts';
import { memoryKindOf } from '../llama/memory-kind.ts';
import type { Vocabulary } from '../llama/vocabulary.ts';
import { createContextFactory } from '../load/context-factory.ts';
import { type ContextShape, type LoadPlan, toContextParams } from '../load/load-params.ts';
import type { MemoryMeter } from '../load/memory-meter.ts';
import { createPredictionHead, type PredictionHead } from './prediction-head.ts';

interface HeadSources {
  readonly api: LlamaApi;
  readonly model: ModelPointer;
  readonly plan: LoadPlan;
  readonly threads: Threads;
  readonly meter: MemoryMeter;
  readonly vocabulary: Vocabulary;
  /** The context of the model. */
  readonly target: { readonly pointer: ContextPointer; readonly shape: ContextShape };
}

const headContext = 1;

// Tokens that one draft evaluates at most. More would delay the answer.
const batchSize = 128;

/** A draft model comes first: a user has chosen it. */
export function usesPredictionHead({ speculation = true, draftPath, settings }: LoadPlan, file: Gguf): boolean {
  return speculation && settings.predictionHead && draftPath === undefined && hasPredictionHead(file);
}

/** Undefined if llama.cpp does not create it. The model generates without it then. */
export function openPredictionHead(sources: HeadSources): PredictionHead | undefined {
  const { api, model, plan, threads, meter, vocabulary, target } = sources;
  const params = {
    ...toContextParams(api.contextDefaultParams(), plan, { ...target.shape, parallel: 1, loadsHead: false }),
    n_batch: batchSize,
    n_ubatch: batchSize,
    ctx_type: headContext,
    ctx_other: target.pointer as unknown as Address,
  };
  const pointer = meter.measure('draft', () => createContextFactory(api, model, [])(params));
  if (pointer === undefined || api.memory(pointer) === null) return undefined;
  const memory = memoryKindOf(api, model, pointer);
  api.keepHiddenStates(target.pointer, true, false);
  api.keepHiddenStates(pointer, true, true);
  const width = api.modelOutputWidth(model);
  return createPredictionHead({
    context: createContext(api, pointer, { vocabularySize: vocabulary.size, memory, threads }),
    batch: createBatch(batchSize, { width }),
    width,
    modelState: stateReader(api, target.pointer, width),
    ownState: stateReader(api, pointer, width),
    isEnd: vocabulary.isEnd,
  });
}

function stateReader(api: LlamaApi, context: ContextPointer, width: number): (row: number) => Float32Array {
  const viewAt = createLogitViews(width);
  return (row) => {
    const address = api.hiddenStateAt(context, row);
    if (address === null) throw new Error(`row ${row} has no hidden state`);
    return viewAt(address);
  };
}
