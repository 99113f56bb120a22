// Refuses weights of an architecture that the engine does not know or cannot run, before they are stored as a model.

import { HearthError } from '../../base/errors.ts';
import { shown } from './byte-reader.ts';
import { translateGguf } from './dialect/translate-gguf.ts';
import { architecturesVersion, engineArchitectures } from './engine-architectures.ts';
import { whyUnusable } from './engine-limits.ts';
import type { Gguf } from './read-gguf.ts';

export function checkArchitecture(gguf: Pick<Gguf, 'metadata' | 'tensors'>): void {
  const name = gguf.metadata.get('general.architecture');
  if (typeof name !== 'string')
    throw new HearthError('bad_request', 'the weights do not name their architecture (general.architecture)');
  const reason = whyUnusable(gguf.metadata);
  if (reason !== undefined) throw new HearthError('bad_request', reason);
  // A translation leads to an architecture that the engine knows.
  if (engineArchitectures.has(name) || translateGguf(gguf) !== undefined) return;
  const message = `the architecture ${JSON.stringify(shown(name))} of the weights is unknown to the engine of this version, llama.cpp ${architecturesVersion}`;
  throw new HearthError('bad_request', message);
}
