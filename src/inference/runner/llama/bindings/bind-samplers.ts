// llama.cpp's samplers.

import type { LibraryHandle } from 'koffi';
import { bindFunction } from './bind-function.ts';
import type { ContextPointer, SamplerPointer, VocabPointer } from './pointers.ts';

/** What a thread needs that chooses tokens. */
export function bindChoiceSamplers(llama: LibraryHandle) {
  return {
    samplerApply: bindFunction<(sampler: SamplerPointer, candidates: Uint8Array) => void>(
      llama,
      'void llama_sampler_apply(void *sampler, void *candidates)',
    ),
    samplerAccept: bindFunction<(sampler: SamplerPointer, token: number) => void>(
      llama,
      'void llama_sampler_accept(void *sampler, int32 token)',
    ),
  };
}

export function bindSamplers(llama: LibraryHandle) {
  const initChain = bindFunction<(params: { no_perf: boolean }) => SamplerPointer>(
    llama,
    'void *llama_sampler_chain_init(llama_sampler_chain_params params)',
  );
  return {
    samplerChain: (): SamplerPointer => initChain({ no_perf: true }),
    samplerChainAdd: bindFunction<(chain: SamplerPointer, sampler: SamplerPointer) => void>(
      llama,
      'void llama_sampler_chain_add(void *chain, void *sampler)',
    ),
    samplerFree: bindFunction<(sampler: SamplerPointer) => void>(llama, 'void llama_sampler_free(void *sampler)'),
    samplerSample: bindFunction<(sampler: SamplerPointer, context: ContextPointer, index: number) => number>(
      llama,
      'int32 llama_sampler_sample(void *sampler, void *context, int32 index)',
    ),
    ...bindChoiceSamplers(llama),
    samplerGreedy: bindFunction<() => SamplerPointer>(llama, 'void *llama_sampler_init_greedy()'),
    samplerDistribution: bindFunction<(seed: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_dist(uint32 seed)',
    ),
    samplerTopK: bindFunction<(k: number) => SamplerPointer>(llama, 'void *llama_sampler_init_top_k(int32 k)'),
    samplerTopP: bindFunction<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_top_p(float p, size_t keep)',
    ),
    samplerMinP: bindFunction<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_min_p(float p, size_t keep)',
    ),
    samplerTypical: bindFunction<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_typical(float p, size_t keep)',
    ),
    samplerTemperature: bindFunction<(t: number) => SamplerPointer>(llama, 'void *llama_sampler_init_temp(float t)'),
    samplerDynamicTemperature: bindFunction<(t: number, delta: number, exponent: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_temp_ext(float t, float delta, float exponent)',
    ),
    samplerXtc: bindFunction<(p: number, t: number, keep: number, seed: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_xtc(float p, float t, size_t keep, uint32 seed)',
    ),
    samplerTopNSigma: bindFunction<(n: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_top_n_sigma(float n)',
    ),
    samplerInfill: bindFunction<(vocab: VocabPointer) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_infill(void *vocab)',
    ),
    samplerMirostat: bindFunction<
      (vocabulary: number, seed: number, tau: number, eta: number, m: number) => SamplerPointer
    >(llama, 'void *llama_sampler_init_mirostat(int32 n_vocab, uint32 seed, float tau, float eta, int32 m)'),
    samplerMirostat2: bindFunction<(seed: number, tau: number, eta: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_mirostat_v2(uint32 seed, float tau, float eta)',
    ),
    samplerGrammar: bindFunction<(vocab: VocabPointer, grammar: string, root: string) => SamplerPointer | null>(
      llama,
      'void *llama_sampler_init_grammar(void *vocab, const char *grammar, const char *root)',
    ),
  };
}
