// Logits that are scanned by the built threads.

import { afterEach, expect, test } from 'vitest';
import { createScanPool, type ScanPool } from '../../src/inference/runner/generate/sampling/scan/scan-pool.ts';
import { createTopScan } from '../../src/inference/runner/generate/sampling/scan/top-scan.ts';
import { randomNumbers } from '../support/models/random-numbers.ts';
import { pause } from '../support/processes.ts';
import { repository } from '../support/repository.ts';

const vocabularySize = 100_003;
const script = repository('dist/inference/runner/scan-thread.js');

let pool: ScanPool | undefined;
afterEach(() => pool?.stop());

function createPool(threads: number, path = script): ScanPool {
  pool = createScanPool({ script: path, threads, vocabularySize });
  return pool;
}

/** Logits of several rows in one buffer, as llama.cpp has them. */
function randomRows(count: number): Float32Array[] {
  const next = randomNumbers(count);
  const buffer = new SharedArrayBuffer(count * vocabularySize * 4);
  return Array.from({ length: count }, (_, row) => {
    const logits = new Float32Array(buffer, row * vocabularySize * 4, vocabularySize);
    for (let token = 0; token < vocabularySize; token++) logits[token] = next() * 20 - 10;
    return logits;
  });
}

function expected(logits: Float32Array, k: number): Int32Array {
  const scan = createTopScan(vocabularySize);
  return scan.tokens.slice(0, scan.run(logits, k));
}

test.each([1, 3])('%d threads find what one scan finds, in every round', async (threads) => {
  const { run } = createPool(threads);
  const rows = randomRows(12);
  const jobs = rows.map((logits, row) => ({ logits, k: [1, 40, 128][row % 3] as number }));
  const solution = jobs.map(({ logits, k }) => expected(logits, k));
  // More rounds than the board has places. The threads start meanwhile.
  for (let round = 0; round < 40; round++) {
    expect(run(jobs)).toEqual(solution);
    if (round < 5) await pause(50);
  }
});

test('what does not fit is left to the caller', () => {
  const { run } = createPool(1);
  const ascending = Float32Array.from({ length: vocabularySize }, (_, index) => index);
  const [random] = randomRows(1) as [Float32Array];
  const found = run([ascending, random, random, random, random].map((logits) => ({ logits, k: 40 })));
  expect(found.map((tokens) => tokens?.length ?? 0).map((length) => length > 0)).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});

test('few rows are not worth a thread', () => {
  expect(createPool(1).run(randomRows(2).map((logits) => ({ logits, k: 40 })))).toEqual([]);
});

test('threads that do not start change nothing', async () => {
  const { run } = createPool(2, `${script}.missing`);
  const jobs = randomRows(6).map((logits) => ({ logits, k: 40 }));
  const solution = jobs.map(({ logits, k }) => expected(logits, k));
  expect(run(jobs)).toEqual(solution);
  await pause(100);
  expect(run(jobs)).toEqual(solution);
});
