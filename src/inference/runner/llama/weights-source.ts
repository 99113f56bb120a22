// The weights of a model: a file that llama.cpp opens itself, or one that exists only as a description.

import type { Address, ModelPointer } from './bindings/pointers.ts';
import type { ModelParams } from './bindings/structs.ts';
import { type VirtualFile, withFileStream } from './file-stream.ts';

export type WeightsSource = { readonly path: string } | { readonly open: () => VirtualFile };

interface ModelLoader {
  modelLoad(path: string, params: ModelParams): ModelPointer | null;
  modelLoadStream(file: Address, params: ModelParams): ModelPointer | null;
}

const [readMode, lockedReadMode, lockedMapMode] = [0, 2, 3] as const;

export function loadWeights(api: ModelLoader, source: WeightsSource, params: ModelParams): ModelPointer | null {
  if ('path' in source) return api.modelLoad(source.path, params);
  const file = source.open();
  try {
    // Only a file on disk can be mapped.
    const isLocked = params.load_mode === lockedReadMode || params.load_mode === lockedMapMode;
    const readParams = { ...params, load_mode: isLocked ? lockedReadMode : readMode };
    return withFileStream(file, (stream) => api.modelLoadStream(stream, readParams));
  } finally {
    file.close();
  }
}
