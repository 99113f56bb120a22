// llama.cpp's own samplers over the logits of a scripted context. Only `llama_sampler_sample` is replaced: it reads the
// logits from a native context.

import { createCandidates } from '../../../src/inference/runner/generate/sampling/candidates.ts';
import type { LlamaApi } from '../../../src/inference/runner/llama/bindings/llama-api.ts';
import type { EngineContext } from '../../../src/inference/runner/llama/context.ts';

export function createScriptedApi(api: LlamaApi, context: Pick<EngineContext, 'logits'>, size: number): LlamaApi {
  const candidates = createCandidates(api, size);
  return {
    ...api,
    samplerSample(chain, _context, row) {
      candidates.fill(context.logits(row));
      candidates.apply(chain);
      const token = candidates.selected();
      if (token === undefined) throw new Error('the chain selected no token');
      api.samplerAccept(chain, token);
      return token;
    },
  };
}
