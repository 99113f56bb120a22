// llama.cpp's samplers.

import type { LibraryHandle } from 'koffi';
import { bind } from './bind.ts';
import type { ContextPointer, SamplerPointer, VocabPointer } from './pointers.ts';

export function bindSamplers(llama: LibraryHandle) {
  const initChain = bind<(params: { no_perf: boolean }) => SamplerPointer>(
    llama,
    'void *llama_sampler_chain_init(llama_sampler_chain_params params)',
  );
  return {
    samplerChain: (): SamplerPointer => initChain({ no_perf: true }),
    samplerChainAdd: bind<(chain: SamplerPointer, sampler: SamplerPointer) => void>(
      llama,
      'void llama_sampler_chain_add(void *chain, void *sampler)',
    ),
    samplerFree: bind<(sampler: SamplerPointer) => void>(llama, 'void llama_sampler_free(void *sampler)'),
    samplerSample: bind<(sampler: SamplerPointer, context: ContextPointer, index: number) => number>(
      llama,
      'int32 llama_sampler_sample(void *sampler, void *context, int32 index)',
    ),
    samplerApply: bind<(sampler: SamplerPointer, candidates: Uint8Array) => void>(
      llama,
      'void llama_sampler_apply(void *sampler, void *candidates)',
    ),
    samplerAccept: bind<(sampler: SamplerPointer, token: number) => void>(
      llama,
      'void llama_sampler_accept(void *sampler, int32 token)',
    ),
    samplerGreedy: bind<() => SamplerPointer>(llama, 'void *llama_sampler_init_greedy()'),
    samplerDistribution: bind<(seed: number) => SamplerPointer>(llama, 'void *llama_sampler_init_dist(uint32 seed)'),
    samplerTopK: bind<(k: number) => SamplerPointer>(llama, 'void *llama_sampler_init_top_k(int32 k)'),
    samplerTopP: bind<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_top_p(float p, size_t keep)',
    ),
    samplerMinP: bind<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_min_p(float p, size_t keep)',
    ),
    samplerTypical: bind<(p: number, keep: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_typical(float p, size_t keep)',
    ),
    samplerTemperature: bind<(t: number) => SamplerPointer>(llama, 'void *llama_sampler_init_temp(float t)'),
    samplerMirostat: bind<(vocabulary: number, seed: number, tau: number, eta: number, m: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_mirostat(int32 n_vocab, uint32 seed, float tau, float eta, int32 m)',
    ),
    samplerMirostat2: bind<(seed: number, tau: number, eta: number) => SamplerPointer>(
      llama,
      'void *llama_sampler_init_mirostat_v2(uint32 seed, float tau, float eta)',
    ),
    samplerGrammar: bind<(vocab: VocabPointer, grammar: string, root: string) => SamplerPointer | null>(
      llama,
      'void *llama_sampler_init_grammar(void *vocab, const char *grammar, const char *root)',
    ),
  };
}
