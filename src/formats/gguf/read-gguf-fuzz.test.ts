// Reads many damaged headers, with `npm run fuzz` more than 100,000. The reader must accept or refuse each with a
// HearthError, and must not ask for more bytes than the limit of a header. The inputs differ between runs; a failure
// shows the seed that reproduces them.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { writeGguf } from '../../../test/support/models/write-gguf.ts';
import { thoroughly } from '../../../test/support/thorough.ts';
import { HearthError } from '../../base/errors.ts';
import { ggufKind } from './gguf-kind.ts';
import { ggufLimits } from './limits.ts';
import { readGguf } from './read-gguf.ts';
import { splitInfoOf } from './split-info.ts';
import { writeGgufHeader } from './write-gguf-header.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));

const model = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../../models/${name}.gguf`, import.meta.url)));
const ember = model('ember-q4_k_m');

/** A small header with every kind of value of the test writer. */
function written(): Buffer {
  const path = join(folder, 'small.gguf');
  const metadata = {
    'general.architecture': { type: 'string', value: 'llama' },
    'general.alignment': { type: 'u32', value: 32 },
    'llama.rope.freq_base': { type: 'f32', value: 1e4 },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
    'tokenizer.ggml.tokens': { type: 'strings', value: ['a', 'bc', '', 'ü', '<s>'] },
    'tokenizer.ggml.token_type': { type: 'i32s', value: [1, 2, 3, -4, 5] },
  } as const;
  const tensor = (name: string, shape: number[]) => ({ name, shape, type: 'F16', fill: () => {} }) as const;
  writeGguf(path, metadata, [tensor('token_embd.weight', [8, 4]), tensor('output_norm.weight', [8])]);
  return readFileSync(path);
}

/** A part of a split model, with a value and an array of each fixed-size type. */
function part(): Buffer {
  const sizes = new Map(
    [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12].map((type, index) => [type, [1, 1, 2, 2, 4, 4, 4, 1, 8, 8, 8][index] ?? 0]),
  );
  const entry = (key: string, ...numbers: [number, 4 | 8][]): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt8(key.length);
    const values = numbers.map(([value, size]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUInt32LE(value);
      return bytes;
    });
    return Buffer.concat([head, Buffer.from(key), ...values]);
  };
  const fixed = (key: string, type: number, value = 1): Buffer =>
    Buffer.concat([entry(key, [type, 4]), Buffer.from([value])], 8 + key.length + 4 + (sizes.get(type) ?? 0));
  const array = (type: number): Buffer =>
    Buffer.concat([entry(`a${type}`, [9, 4], [type, 4], [3, 8]), Buffer.alloc(3 * (sizes.get(type) ?? 0), type)]);
  const types = [...sizes.keys()];
  const split = [fixed('split.no', 2), fixed('split.count', 2, 3), fixed('split.tensors.count', 5, 9)];
  const entries = [...split, ...types.map((type) => fixed(`v${type}`, type)), ...types.map(array)];
  return writeGgufHeader({ version: 3, alignment: 32, entries, tensors: [] });
}

// The header of Ember is truncated in its vocabulary. The others are complete; the adapter has many tensors.
const seeds: readonly Buffer[] = [
  written(),
  part(),
  ember.subarray(0, 4096),
  model('ember-ahoy-lora-f16').subarray(0, 12_288),
];

type Random = (below: number) => number;

/** A fast reproducible generator. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

// Boundary values of counts, lengths and offsets: limits of number types, and both sides of each limit.
const numbers: readonly bigint[] = [
  ...[7n, 8n, 15n, 16n, 31n, 32n, 52n, 53n, 63n, 64n].map((bits) => 2n ** bits),
  ...Object.values(ggufLimits).map(BigInt),
].flatMap((number) => [number - 1n, number, number + 1n]);

// A file with a larger declared size is padded with zeros, as many as the first read takes.
const room = Buffer.alloc(2 ** 20);

type Damage = (bytes: Buffer, random: Random) => Buffer;

const setBytes: Damage = (bytes, random) => {
  for (let count = 1 + random(8); count > 0; count--) bytes[random(bytes.length)] = random(256);
  return bytes;
};
const flipBit: Damage = (bytes, random) => {
  const place = random(bytes.length);
  bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8));
  return bytes;
};
const setNumber: Damage = (bytes, random) => {
  const number = numbers[random(numbers.length)] ?? 0n;
  const place = random(Math.max(1, bytes.length - 8));
  if (place + 8 <= bytes.length) bytes.writeBigUInt64LE(BigInt.asUintN(64, number), place);
  return bytes;
};
/** Offsets of the counts of tensors and entries, and of the length of the first key. */
const setCount: Damage = (bytes, random) => {
  const number = random(2) === 0 ? BigInt(random(100)) : (numbers[random(numbers.length)] ?? 0n);
  const place = 8 * (1 + random(3));
  if (place + 8 <= bytes.length) bytes.writeBigUInt64LE(BigInt.asUintN(64, number), place);
  return bytes;
};
const setType: Damage = (bytes, random) => {
  const place = random(Math.max(1, bytes.length - 4));
  if (place + 4 <= bytes.length) bytes.writeUInt32LE(random(14), place);
  return bytes;
};
const cut: Damage = (bytes, random) => bytes.subarray(0, 1 + random(bytes.length));
const remove: Damage = (bytes, random) => {
  const place = random(bytes.length);
  return Buffer.concat([bytes.subarray(0, place + 1), bytes.subarray(place + 1 + random(64))]);
};
const repeat: Damage = (bytes, random) => {
  const place = random(bytes.length);
  return Buffer.concat([bytes.subarray(0, Math.min(bytes.length, place + random(256))), bytes.subarray(place)]);
};
const splice: Damage = (bytes, random) => {
  const other = seeds[random(seeds.length)] as Buffer;
  return Buffer.concat([bytes.subarray(0, 1 + random(bytes.length)), other.subarray(random(other.length))]);
};
const noise: Damage = (bytes, random) => {
  const start = random(2) === 0 ? 0 : Math.min(bytes.length, 24);
  const length = start + 1 + random(300);
  const noisy = Buffer.concat([bytes.subarray(0, start)], length);
  // Small numbers, because random counts and lengths would be refused at once.
  const below = random(2) === 0 ? 256 : 4;
  for (let place = start; place < length; place++) noisy[place] = random(below);
  return noisy;
};
const damages: readonly Damage[] = [
  ...[setBytes, flipBit, setNumber, setCount, setType],
  ...[cut, remove, repeat, splice, noise],
];

function createInput(random: Random): Buffer {
  let bytes = Buffer.from(seeds[random(seeds.length)] as Buffer);
  for (let count = 1 + random(3); count > 0; count--)
    bytes = Buffer.from((damages[random(damages.length)] as Damage)(bytes, random));
  return bytes;
}

const sizes: readonly ((bytes: Buffer, random: Random) => number)[] = [
  // Twice as often, because it is the fastest.
  (bytes) => bytes.length,
  (bytes) => bytes.length,
  (bytes, random) => bytes.length + random(2 ** 16),
  () => Number.MAX_SAFE_INTEGER,
];

/** Whether the reader accepted it. */
async function attempt(bytes: Buffer, size: number, maxArray: number): Promise<boolean> {
  const used = size === bytes.length ? bytes : room;
  if (used === room) bytes.copy(room);
  const readHead = async (length: number): Promise<Buffer> => {
    if (length > Math.min(size, ggufLimits.headerBytes)) throw new Error(`${length} bytes were asked for`);
    return used.subarray(0, length);
  };
  try {
    const gguf = await readGguf({ size, readHead }, { maxArray });
    ggufKind(gguf);
    splitInfoOf(gguf);
    return true;
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'bad_request' || error.message.length > 1000) throw error;
    return false;
  } finally {
    if (used === room) room.fill(0, 0, bytes.length);
  }
}

const rounds = thoroughly(110, 30);
const inputsOfRound = 1000;

test('damaged headers are accepted or fail with a HearthError', { timeout: 120_000 }, async () => {
  let taken = 0;
  const round = fc.asyncProperty(fc.integer(), async (seed) => {
    const random = createRandom(seed);
    for (let index = 0; index < inputsOfRound; index++) {
      const bytes = createInput(random);
      const size = (sizes[random(sizes.length)] as (typeof sizes)[number])(bytes, random);
      if (await attempt(bytes, size, random(2) === 0 ? ggufLimits.arrayEntries : random(8))) taken++;
    }
  });
  await fc.assert(round, { numRuns: rounds, endOnFailure: true });
  const figure = (count: number): string => count.toLocaleString('en');
  process.stdout.write(
    `GGUF headers: ${figure(rounds * inputsOfRound)} damaged ones, ${figure(taken)} still readable\n`,
  );
  // Both outcomes are frequent, otherwise the mutations test nothing.
  expect(taken).toBeGreaterThan(1000);
  expect(taken).toBeLessThan((rounds * inputsOfRound) / 2);
});

test('so are complete headers of a real model with damage at any offset', { timeout: 60_000 }, async () => {
  // Longer than the first read, so that the reader never needs more bytes.
  const bytes = Buffer.from(ember.subarray(0, 2 ** 21));
  const readHead = async (length: number): Promise<Buffer> => bytes.subarray(0, length);
  const read = () => readGguf({ size: ember.length, readHead }, { maxArray: 100 });
  const { headerBytes } = (await read()).layout;
  let taken = 0;
  const change = fc.tuple(fc.nat({ max: headerBytes - 1 }), fc.nat({ max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      for (const [place, value] of changes) bytes[place] = value;
      try {
        await read();
        taken++;
      } catch (error) {
        expect(error).toBeInstanceOf(HearthError);
      } finally {
        for (const [place] of changes) bytes[place] = ember[place] as number;
      }
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(0);
});
