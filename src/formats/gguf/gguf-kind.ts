// The kind of a GGUF file: a model, a projector (image encoder) or a LoRA adapter.

import type { Gguf } from './read-gguf.ts';

type GgufKind = 'model' | 'projector' | 'adapter';

export function ggufKind({ metadata }: Pick<Gguf, 'metadata'>): GgufKind {
  const type = metadata.get('general.type');
  // Older projectors have no general.type, only the architecture.
  if (type === 'mmproj' || metadata.get('general.architecture') === 'clip') return 'projector';
  return type === 'adapter' ? 'adapter' : 'model';
}
