import { expect, test } from 'vitest';
import { addProgress, noProgress, rateOf, shownStatus, sumOf, type TransferProgress } from './transfer-progress.ts';

const weights = `sha256:${'a'.repeat(64)}`;
const license = `sha256:${'b'.repeat(64)}`;

function downloaded(completed: readonly number[]): TransferProgress {
  return completed.reduce(
    (progress, bytes, second) =>
      addProgress(progress, { status: 'downloading', digest: weights, total: 1e6, completed: bytes }, second * 1000),
    noProgress,
  );
}

test('the files that were named are summed up', () => {
  const one = downloaded([100, 200]);
  const two = addProgress(one, { status: 'downloading', digest: license, total: 50 }, 2000);
  expect(sumOf(two.files)).toEqual({ completed: 200, total: 1e6 + 50 });
});

test('files that are unpacked are not added to the download', () => {
  const unpacking = { status: 'unpacking m/weights.gguf', digest: 'm/weights.gguf', total: 900_000, completed: 10 };
  const progress = addProgress(downloaded([1e6]), unpacking, 1000);
  expect(sumOf(progress.files)).toEqual({ completed: 10, total: 900_000 });
});

test('a status without a file changes nothing else', () => {
  const progress = addProgress(downloaded([100]), { status: 'writing manifest' }, 1000);
  expect(progress.status).toBe('writing manifest');
  expect(sumOf(progress.files)).toEqual({ completed: 100, total: 1e6 });
});

test('the rate is that of the last seconds, without what was there at the start', () => {
  expect(rateOf(downloaded([50_000]))).toBeUndefined();
  expect(rateOf(downloaded([50_000, 51_000, 52_000]))).toBe(1000);
  expect(rateOf(downloaded([0, 0, 0, 0, 0, 0, 0, 0, 4000, 8000, 12_000]))).toBe(3000);
});

test('a status is shown without its digest', () => {
  expect(shownStatus({ ...noProgress, status: `downloading ${weights}` })).toBe('downloading');
  expect(shownStatus({ ...noProgress, status: 'writing manifest' })).toBe('writing manifest');
});
