// What a GGUF file is for: a model, eyes for one (a projector), or a change to one (an adapter).

import type { Gguf } from './read-gguf.ts';

export type GgufKind = 'model' | 'projector' | 'adapter';

export function ggufKind({ metadata }: Pick<Gguf, 'metadata'>): GgufKind {
  const type = metadata.get('general.type');
  // Projectors from before general.type have only their architecture to tell.
  if (type === 'mmproj' || metadata.get('general.architecture') === 'clip') return 'projector';
  return type === 'adapter' ? 'adapter' : 'model';
}
