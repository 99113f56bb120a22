// The C API of llama.cpp, as far as it is used here and the same in every version.

import koffi, { type LibraryHandle } from 'koffi';
import { bindContext } from './bind-context.ts';
import { bindGgml } from './bind-ggml.ts';
import { bindModel } from './bind-model.ts';
import { bindSamplers } from './bind-samplers.ts';
import { bindVocabulary } from './bind-vocabulary.ts';
import type { EngineLibrary } from '../find-backend.ts';

export type LlamaApi = ReturnType<typeof bindShared> & {
  /** What the library says it is, or the package that it came in. */
  readonly version: () => string;
};

export interface OpenLibraries {
  readonly base: LibraryHandle;
  readonly ggml: LibraryHandle;
  readonly llama: LibraryHandle;
}

/** They may be one file. */
export function loadLibraries(library: EngineLibrary): OpenLibraries {
  const base = koffi.load(library.base, { global: true });
  const ggml = koffi.load(library.ggml, { global: true });
  const llama = koffi.load(library.llama, { global: true });
  return { base, ggml, llama };
}

/** The structs must have been declared. */
export function bindShared({ base, ggml, llama }: OpenLibraries) {
  return {
    ...bindGgml(base, ggml),
    ...bindModel(llama),
    ...bindVocabulary(llama),
    ...bindContext(llama),
    ...bindSamplers(llama),
  };
}
