// The plan of a context as a response has it.

import type { ShownContext } from '../../../services/models/shown-context.ts';
import type { ContextBody } from './context-schema.ts';

export function toContextBody({ length, source, parallel, cacheTypes }: ShownContext): ContextBody {
  return { length, source, parallel, type_k: cacheTypes.keys, type_v: cacheTypes.values };
}
