import { describe, expect, test } from 'vitest';
import type { ProgressResponseBody } from '../../server/dialects/ollama/transfer/progress-schema.ts';
import { widthOf } from '../output/fit-text.ts';
import { drawProgress } from './draw-progress.ts';
import { createPlainLines } from './plain-progress.ts';
import { applyStatus, beginProgress, endProgress, type ProgressState } from './progress-state.ts';

const weights = `sha256:8eeb52dfb3bb${'0'.repeat(52)}`;
const template = `sha256:966de95ca8a6${'0'.repeat(52)}`;
const license = `sha256:fcc5a6bec9da${'0'.repeat(52)}`;
const downloading = (digest: string, completed: number, total: number): ProgressResponseBody => ({
  status: `downloading ${digest}`,
  digest,
  total,
  completed,
});

/** The status objects of a pull, each with its time in seconds. */
const pull: readonly (readonly [number, ProgressResponseBody])[] = [
  [0, { status: 'pulling manifest' }],
  [1, downloading(template, 0, 1400)],
  [1, downloading(template, 1400, 1400)],
  [2, downloading(weights, 0, 4.7e9)],
  [2, downloading(license, 7000, 7700)],
  ...Array.from({ length: 20 }, (_, index) => [3 + index, downloading(weights, (index + 1) * 9.7e7, 4.7e9)] as const),
];

function stateAt(seconds: number, statuses = pull): ProgressState {
  return statuses
    .filter(([at]) => at <= seconds)
    .reduce((state, [at, status]) => applyStatus(state, status, at * 1000), beginProgress(0));
}

const draw = (state: ProgressState, width: number, seconds: number): string =>
  drawProgress(state, { width, now: seconds * 1000 }).join('\n');

describe('a pull in progress', () => {
  test('at 40 columns', () => {
    expect(draw(stateAt(22), 40, 22)).toMatchInlineSnapshot(`
      "pulling manifest
      966de95ca8a6 100% ▕████▏ 1.4 KB
      8eeb52dfb3bb  41% ▕█   ▏ 4.7 GB     28s
      fcc5a6bec9da  91% ▕███ ▏ 7.7 KB"
    `);
  });
  test('at 60 columns', () => {
    expect(draw(stateAt(22), 60, 22)).toMatchInlineSnapshot(`
      "pulling manifest
      966de95ca8a6 100% ▕█████████████████▏ 1.4 KB
      8eeb52dfb3bb  41% ▕███████          ▏ 1.9 GB/4.7 GB     28s
      fcc5a6bec9da  91% ▕███████████████  ▏   7 KB/7.7 KB"
    `);
  });
  test('at 80 columns', () => {
    expect(draw(stateAt(22), 80, 22)).toMatchInlineSnapshot(`
      "pulling manifest
      downloading 966de95ca8a6 100% ▕███████████████▏ 1.4 KB
      downloading 8eeb52dfb3bb  41% ▕██████         ▏ 1.9 GB/4.7 GB   97 MB/s     28s
      downloading fcc5a6bec9da  91% ▕█████████████  ▏   7 KB/7.7 KB"
    `);
  });
  test('at 200 columns', () => {
    expect(draw(stateAt(22), 200, 22)).toMatchInlineSnapshot(`
      "pulling manifest
      downloading 966de95ca8a6 100% ▕████████████████████████████████████████████████████████████████████████████████▏ 1.4 KB
      downloading 8eeb52dfb3bb  41% ▕█████████████████████████████████                                               ▏ 1.9 GB/4.7 GB   97 MB/s     28s
      downloading fcc5a6bec9da  91% ▕████████████████████████████████████████████████████████████████████████        ▏   7 KB/7.7 KB"
    `);
  });
  test('at 12 columns', () => {
    expect(draw(stateAt(22), 12, 22)).toMatchInlineSnapshot(`
      "pulling ma…
      966de… 100%
      8eeb5…  41%
      fcc5a…  91%"
    `);
  });
});

test('the last step has a spinner until it ends', () => {
  const steps = ['reading model metadata', `writing layer ${weights}`, 'writing manifest'];
  const state = steps.reduce((sum, status) => applyStatus(sum, { status }, 0), beginProgress(0));
  expect(draw(state, 40, 0.25)).toMatchInlineSnapshot(`
    "reading model metadata
    writing layer 8eeb52dfb3bb
    writing manifest ⠹"
  `);
  expect(draw(endProgress(state), 40, 0.25)).toMatchInlineSnapshot(`
    "reading model metadata
    writing layer 8eeb52dfb3bb
    writing manifest"
  `);
  expect(draw(state, 16, 0)).toMatchInlineSnapshot(`
    "reading model …
    writing layer …
    writing mani… ⠋"
  `);
});

test('a quantization is labeled with its status, an upload with its layer', () => {
  const quantizing = {
    status: 'quantizing F16 model to Q4_K_M',
    digest: '0000000000000000000',
    total: 39,
    completed: 13,
  };
  const upload = { status: 'starting upload', digest: weights, total: 1000 };
  expect(draw(applyStatus(applyStatus(beginProgress(0), quantizing, 0), upload, 0), 80, 0)).toMatchInlineSnapshot(`
    "quantizing F16 model to Q4_K_M  33% ▕███      ▏
    8eeb52dfb3bb                     0% ▕         ▏    0 B/1 KB"
  `);
});

test('a package is labeled with its status, and counts bytes', () => {
  const download = {
    status: 'downloading pypi/tiny 1.0.0',
    digest: 'pypi/tiny@1.0.0',
    total: 98_000_000,
    completed: 49_000_000,
  };
  expect(draw(applyStatus(beginProgress(0), download, 0), 80, 0)).toMatchInlineSnapshot(
    `"downloading pypi/tiny 1.0.0  50% ▕██████      ▏  49 MB/98 MB"`,
  );
});

test('every line is narrower than the screen at any width', () => {
  const state = applyStatus(stateAt(22), { status: '日本語のとても長い状態 '.repeat(10) }, 22_000);
  for (let width = 2; width <= 250; width++)
    for (const line of drawProgress(state, { width, now: 22_000 })) expect(widthOf(line)).toBeLessThan(width);
});

test('plain lines: one per step, and one every few seconds per transfer', () => {
  const plain = createPlainLines();
  let state = beginProgress(0);
  const lines: string[] = [];
  for (const [at, status] of [
    ...pull,
    [50, downloading(weights, 4.7e9, 4.7e9)],
    [50, { status: 'success' }],
  ] as const) {
    state = applyStatus(state, status, at * 1000);
    lines.push(...plain.next(state, at * 1000));
  }
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "pulling manifest
    downloading 966de95ca8a6 0% 0 B/1.4 KB
    downloading 966de95ca8a6 100% 1.4 KB
    downloading 8eeb52dfb3bb 0% 0 B/4.7 GB
    downloading fcc5a6bec9da 91% 7 KB/7.7 KB
    downloading 8eeb52dfb3bb 10% 485 MB/4.7 GB 97 MB/s, 43s left
    downloading 8eeb52dfb3bb 21% 970 MB/4.7 GB 97 MB/s, 38s left
    downloading 8eeb52dfb3bb 31% 1.5 GB/4.7 GB 97 MB/s, 33s left
    downloading 8eeb52dfb3bb 41% 1.9 GB/4.7 GB 97 MB/s, 28s left
    downloading 8eeb52dfb3bb 100% 4.7 GB
    success"
  `);
});

test('hostile statuses cannot control the terminal or exhaust memory', () => {
  const hostile = applyStatus(beginProgress(0), { status: 'a\u001b[2Jb\nc' }, 0);
  expect(draw(endProgress(hostile), 80, 0)).toBe('a[2Jb c');
  let state = beginProgress(0);
  for (let index = 0; index < 5000; index++)
    state = applyStatus(state, { status: 'x', digest: String(index), total: 1 }, 0);
  expect(state.items.length).toBeLessThan(1100);
});
