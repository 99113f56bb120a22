// Opens the contexts of a loaded model that turn texts into vectors.

import type { Gguf } from '../../../formats/gguf/read-gguf.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { ModelPointer } from '../llama/bindings/pointers.ts';
import type { Threads } from '../llama/context.ts';
import type { ContextFactory } from '../load/context-factory.ts';
import type { LoadPlan } from '../load/load-params.ts';
import type { MemoryMeter, MemoryPurpose } from '../load/memory-meter.ts';
import { createEmbedContext, type EmbedContext } from './embed-context.ts';
import { decideEmbedMethod, type EmbedMethod, toEmbedContextParams } from './embed-params.ts';

export interface ModelSources {
  readonly api: LlamaApi;
  readonly model: ModelPointer;
  readonly plan: LoadPlan;
  readonly file: Gguf;
  readonly newContext: ContextFactory;
  readonly threads: Threads;
  readonly meter: MemoryMeter;
}

export function openEmbedContext(sources: ModelSources): EmbedContext {
  const { api, model, file } = sources;
  const method = decideEmbedMethod(file.metadata);
  return openContext(sources, { method, width: api.modelOutputWidth(model), memory: 'embeddings' });
}

interface VectorOptions {
  readonly method: EmbedMethod;
  /** Length of a vector. */
  readonly width: number;
  readonly memory: MemoryPurpose;
}

export function openContext(sources: ModelSources, { method, width, memory }: VectorOptions): EmbedContext {
  const { api, model, plan, newContext, threads, meter } = sources;
  return createEmbedContext({
    api,
    threads,
    method,
    needs: { numBatch: plan.settings.numBatch, recurrent: api.modelIsRecurrent(model) || api.modelIsHybrid(model) },
    width,
    createContext(size) {
      const params = toEmbedContextParams(api.contextDefaultParams(), { plan, method, size, threads: threads.limit });
      const context = meter.measure(memory, () => newContext(params));
      if (context === undefined) meter.clear(memory);
      return context;
    },
  });
}
