// The events of prefix caches on the wire, as vLLM has them: a batch in MessagePack, `[time, events, rank]`. Structs are arrays with
// their type first, as gateways read them; the newest versions of vLLM send maps.

import { encode } from '@msgpack/msgpack';
import type { BlocksEvent } from '../../inference/protocol/messages.ts';

/** Readers follow blocks of this medium, which prompts find at once. */
const medium = 'GPU';
const rank = 0;

/** `seconds`: since the epoch. */
export function encodeEvents({ blockSize, stored, removed }: Omit<BlocksEvent, 'type'>, seconds: number): Uint8Array {
  const events: unknown[] = stored.map(({ hashes, parent, tokens }) => [
    ...['BlockStored', hashes, parent ?? null, tokens, blockSize],
    // Neither an adapter nor its name.
    ...[null, medium, null],
  ]);
  if (removed.length > 0) events.push(['BlockRemoved', removed, medium]);
  return encode([seconds, events, rank]);
}
