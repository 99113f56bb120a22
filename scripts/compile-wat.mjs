// Compiles the WebAssembly of the sampler from its text to simd-program.ts, which is checked in: neither the build nor the
// tests need a compiler. With --check, it fails if the file is not what the text gives.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import createWabt from 'wabt';
import { root } from './setup.mjs';

const folder = join(root, 'src/inference/runner/scan');
const target = join(folder, 'simd-program.ts');
const lineLength = 100;

const wabt = await createWabt();
const text = readFileSync(join(folder, 'simd-program.wat'), 'utf8');
const module = wabt.parseWat('simd-program.wat', text, { simd: true });
module.validate();
const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64');
const lines = base64.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
const program = `// Written by scripts/compile-wat.mjs from simd-program.wat.

/** WebAssembly in base64. */
export const simdProgram = [
${lines.map((line) => `  '${line}',\n`).join('')}].join('');
`;

if (!process.argv.includes('--check')) writeFileSync(target, program);
else if (readFileSync(target, 'utf8') !== program) {
  console.error('simd-program.ts is not what simd-program.wat gives: run node scripts/compile-wat.mjs');
  process.exitCode = 1;
}
