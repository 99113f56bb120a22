// The part of llama.cpp's C API that Hearth uses and that all supported versions share.

import koffi, { type LibraryHandle } from 'koffi';
import type { EngineBackend } from '../find-backend.ts';
import { bindContext } from './bind-context.ts';
import { bindGgml } from './bind-ggml.ts';
import { bindGraph } from './bind-graph.ts';
import type { HiddenStatesApi } from './bind-hidden-states.ts';
import { bindLogCapture } from './bind-log.ts';
import { bindModel } from './bind-model.ts';
import { bindSamplers } from './bind-samplers.ts';
import { bindVocabulary } from './bind-vocabulary.ts';

export type LlamaApi = ReturnType<typeof bindShared> &
  HiddenStatesApi & {
    /** The version of the backend, or of its package. */
    readonly version: () => string;
    /** The path of the library of llama.cpp, for threads that open it again. */
    readonly library: string;
  };

interface OpenBackends {
  readonly base: LibraryHandle;
  readonly ggml: LibraryHandle;
  readonly llama: LibraryHandle;
}

/** The three may be one file. */
export function loadBackend(backend: EngineBackend): OpenBackends {
  const base = koffi.load(backend.base, { global: true });
  const ggml = koffi.load(backend.ggml, { global: true });
  const llama = koffi.load(backend.llama, { global: true });
  return { base, ggml, llama };
}

/** Requires declareStructs. */
export function bindShared({ base, ggml, llama }: OpenBackends) {
  return {
    ...bindGgml(base, ggml),
    ...bindGraph(base),
    ...bindModel(llama),
    ...bindVocabulary(llama),
    ...bindContext(llama),
    ...bindSamplers(llama),
    captureLog: bindLogCapture(llama, 'llama_log_set'),
  };
}
