// The events of a KV cache as vLLM sends them: a batch in MessagePack, `[time, events, rank]`. A struct is an array with
// its fields in order, or a map with their names: vLLM changed this in 2026. Fields after those that are known are ignored.

import { decode } from '@msgpack/msgpack';
import { blockTokens } from './limits.ts';

export type CacheEvent =
  | {
      readonly type: 'stored';
      /** The hashes of the engine, one for each block. */
      readonly hashes: readonly number[];
      /** The block before the first one. Absent: the first block begins a prompt. */
      readonly parent?: number | undefined;
      readonly tokens: readonly number[];
      readonly blockSize: number;
    }
  | { readonly type: 'removed'; readonly hashes: readonly number[] }
  | { readonly type: 'cleared' };

const limits = {
  useBigInt64: true,
  maxStrLength: 1024,
  maxBinLength: 128,
  maxArrayLength: 262_144,
  maxMapLength: 32,
  maxExtLength: 0,
} as const;

const batchFields = ['ts', 'events', 'data_parallel_rank'] as const;
const fieldsOf = {
  BlockStored: [
    ...['type', 'block_hashes', 'parent_block_hash', 'token_ids', 'block_size', 'lora_id', 'medium', 'lora_name'],
    ...['extra_keys', 'group_idx'],
  ],
  BlockRemoved: ['type', 'block_hashes', 'medium', 'group_idx'],
  AllBlocksCleared: ['type'],
} as const;
const typeNames: readonly string[] = Object.keys(fieldsOf);

type Struct = Readonly<Record<string, unknown>>;

/** Throws if the bytes are no batch. Events of other types, and about blocks that prompts alone do not find, are left out. */
export function decodeEvents(payload: Uint8Array): readonly CacheEvent[] {
  const { events } = toStruct(decode(payload, limits), batchFields);
  if (!Array.isArray(events)) throw new Error('a batch has no events');
  return events.flatMap((event: unknown) => {
    const name = Array.isArray(event) ? event[0] : toStruct(event, [])['type'];
    if (typeof name !== 'string' || !typeNames.includes(name)) return [];
    return toEvent(name as keyof typeof fieldsOf, toStruct(event, fieldsOf[name as keyof typeof fieldsOf]));
  });
}

function toEvent(name: keyof typeof fieldsOf, fields: Struct): readonly CacheEvent[] {
  if (name === 'AllBlocksCleared') return [{ type: 'cleared' }];
  const { medium, group_idx: group, lora_id: loraId, lora_name: loraName, extra_keys: extra } = fields;
  // Copies in other memory, and groups of layers that see a part of the prompt.
  const isOther = (medium !== undefined && medium !== null && medium !== 'GPU') || Number(group ?? 0) !== 0;
  const isAdapted = (loraId ?? loraName ?? undefined) !== undefined;
  const hasKeys = Array.isArray(extra) && extra.some((keys) => keys !== null);
  if (isOther || isAdapted || hasKeys) return [];
  const hashes = toHashes(fields['block_hashes']);
  return name === 'BlockRemoved' ? [{ type: 'removed', hashes }] : [toStored(hashes, fields)];
}

function toStored(hashes: readonly number[], fields: Struct): CacheEvent {
  const { token_ids: tokens, block_size: blockSize, parent_block_hash: parent } = fields;
  const isSize = typeof blockSize === 'number' && blockSize >= blockTokens.min && blockSize <= blockTokens.max;
  if (!isSize || !Number.isInteger(blockSize)) throw new Error('blocks have no size, or a wrong one');
  if (!Array.isArray(tokens) || tokens.length !== hashes.length * blockSize || !tokens.every(isToken))
    throw new Error('blocks and tokens do not fit together');
  const before = parent === null || parent === undefined ? undefined : toHash(parent);
  return { type: 'stored', hashes, parent: before, tokens, blockSize };
}

const isToken = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value);

function toHashes(values: unknown): readonly number[] {
  if (!Array.isArray(values)) throw new Error('an event has no hashes');
  return values.map(toHash);
}

const hashBits = 52;
const hashBytes = 6;

/** Engines have numbers or bytes. A part of them is enough to tell the blocks of one endpoint apart. */
function toHash(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(BigInt.asUintN(hashBits, value));
  if (value instanceof Uint8Array && value.length >= hashBytes)
    return Buffer.from(value.buffer, value.byteOffset, value.length).readUIntBE(0, hashBytes);
  throw new Error('a hash is neither a number nor bytes');
}

function toStruct(value: unknown, names: readonly string[]): Struct {
  if (Array.isArray(value)) return Object.fromEntries(names.map((name, index) => [name, value[index]]));
  if (typeof value === 'object' && value !== null) return value as Struct;
  throw new Error('an event is no struct');
}
