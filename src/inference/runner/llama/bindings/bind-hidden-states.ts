// Functions of llama.cpp around prediction heads. They are exported with the names of C++: the header calls them new.

import type { LibraryHandle } from 'koffi';
import type { Address, ContextPointer } from './pointers.ts';

export interface HiddenStatesApi {
  /** The next decodes keep the hidden states of rows: of all, or only of those that have logits. */
  readonly keepHiddenStates: (context: ContextPointer, enabled: boolean, onlyOutputs: boolean) => void;
  readonly hiddenStateAt: (context: ContextPointer, row: number) => Address | null;
}

interface CxxName {
  readonly itanium: string;
  readonly microsoft: string;
}

const names = {
  keep: {
    itanium: '_Z26llama_set_embeddings_nextnP13llama_contextbb',
    microsoft: '?llama_set_embeddings_nextn@@YAXPEAUllama_context@@_N1@Z',
  },
  at: {
    itanium: '_Z30llama_get_embeddings_nextn_ithP13llama_contexti',
    microsoft: '?llama_get_embeddings_nextn_ith@@YAPEAMPEAUllama_context@@H@Z',
  },
} as const;

/** The functions are looked up when a head is opened, so that a library without them runs all other models. */
export function bindHiddenStates(llama: LibraryHandle): HiddenStatesApi {
  const nameOf = ({ itanium, microsoft }: CxxName): string => (process.platform === 'win32' ? microsoft : itanium);
  let keep: HiddenStatesApi['keepHiddenStates'] | undefined;
  let at: HiddenStatesApi['hiddenStateAt'] | undefined;
  return {
    keepHiddenStates(...values) {
      keep ??= llama.func(nameOf(names.keep), 'void', [
        'void *',
        'bool',
        'bool',
      ]) as HiddenStatesApi['keepHiddenStates'];
      keep(...values);
    },
    hiddenStateAt(...values) {
      at ??= llama.func(nameOf(names.at), 'void *', ['void *', 'int32']) as HiddenStatesApi['hiddenStateAt'];
      return at(...values);
    },
  };
}
