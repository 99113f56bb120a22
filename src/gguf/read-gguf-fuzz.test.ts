// Throws damaged headers at the reader, a six-figure number of them. It may take them or refuse them in its own words;
// it may not fail in any other way, and it may not ask for more bytes than a header can have. Each run has other
// inputs; a failure shows the seed that brings its inputs back.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { writeGguf } from '../../test/support/write-gguf.ts';
import { HearthError } from '../kernel/errors.ts';
import { ggufKind } from './gguf-kind.ts';
import { limits } from './limits.ts';
import { readGguf } from './read-gguf.ts';
import { splitInfoOf } from './split-info.ts';
import { writeGgufHeader } from './write-gguf-header.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));

const model = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../models/${name}.gguf`, import.meta.url)));
const ember = model('ember-q8_0');

/** A small header of every kind of value that the test writer has. */
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

/** A part of a model, with a value and an array of each type of a fixed size. */
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

// Ember's header is cut off inside its vocabulary. The others are whole; the adapter's is mostly a list of tensors.
const seeds: readonly Buffer[] = [
  written(),
  part(),
  ember.subarray(0, 4096),
  model('ember-ahoy-lora-f16').subarray(0, 12_288),
];

type Random = (below: number) => number;

/** Small and fast; the same numbers for the same seed. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

// Where counts, lengths and offsets break: at the ends of number types, and on both sides of each limit.
const numbers: readonly bigint[] = [
  ...[7n, 8n, 15n, 16n, 31n, 32n, 52n, 53n, 63n, 64n].map((bits) => 2n ** bits),
  ...Object.values(limits).map(BigInt),
].flatMap((number) => [number - 1n, number, number + 1n]);

// A file that claims to be larger than it is has zeros behind its bytes; as many as the reader's first look takes.
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
/** Where the counts of tensors and entries are, and the length of the first key. */
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
  // Small numbers: noise whose counts and lengths are all impossible would go nowhere.
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
  // Twice as often, because it is the quickest to answer.
  (bytes) => bytes.length,
  (bytes) => bytes.length,
  (bytes, random) => bytes.length + random(2 ** 16),
  () => Number.MAX_SAFE_INTEGER,
];

/** Whether the reader took it. */
async function attempt(bytes: Buffer, size: number, longestArray: number): Promise<boolean> {
  const used = size === bytes.length ? bytes : room;
  if (used === room) bytes.copy(room);
  const readBeginning = async (length: number): Promise<Buffer> => {
    if (length > Math.min(size, limits.headerBytes)) throw new Error(`${length} bytes were asked for`);
    return used.subarray(0, length);
  };
  try {
    const gguf = await readGguf({ size, readBeginning }, { longestArray });
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

const rounds = 110;
const inputsOfRound = 1000;

test('no damaged header does anything but fail with our own error', { timeout: 120_000 }, async () => {
  let taken = 0;
  const round = fc.asyncProperty(fc.integer(), async (seed) => {
    const random = createRandom(seed);
    for (let index = 0; index < inputsOfRound; index++) {
      const bytes = createInput(random);
      const size = (sizes[random(sizes.length)] as (typeof sizes)[number])(bytes, random);
      if (await attempt(bytes, size, random(2) === 0 ? limits.arrayEntries : random(8))) taken++;
    }
  });
  await fc.assert(round, { numRuns: rounds, endOnFailure: true });
  const figure = (count: number): string => count.toLocaleString('en');
  process.stdout.write(
    `GGUF headers: ${figure(rounds * inputsOfRound)} damaged ones, ${figure(taken)} still readable\n`,
  );
  // Both ways out were taken often, or the damage was not worth the name.
  expect(taken).toBeGreaterThan(1000);
  expect(taken).toBeLessThan((rounds * inputsOfRound) / 2);
});

test('nor does a whole header of a real model, damaged anywhere', async () => {
  // More than the reader's first look takes, so that it never runs short of a file that is all there.
  const bytes = Buffer.from(ember.subarray(0, 2 ** 21));
  const readBeginning = async (length: number): Promise<Buffer> => bytes.subarray(0, length);
  const read = () => readGguf({ size: ember.length, readBeginning }, { longestArray: 100 });
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
