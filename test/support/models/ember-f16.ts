// Ember in F16. The original is not part of the repository, so the Q8_0 model is converted with llama.cpp's quantizer.

import { execFileSync } from 'node:child_process';
import { repository } from '../repository.ts';

const fileTypes = { F16: 1 } as const;

/** Runs the quantizer as the server does. */
export function quantizeDirectly(source: string, target: string, fileType: number, imatrix?: string): void {
  execFileSync(
    process.execPath,
    [
      repository('dist/inference/runner/programs/quantize.js'),
      ...[source, target, String(fileType), '0'],
      ...(imatrix === undefined ? [] : [imatrix]),
    ],
    {
      stdio: 'ignore',
    },
  );
}

export function writeEmberF16(target: string): void {
  quantizeDirectly(repository('models/ember-q4_k_m.gguf'), target, fileTypes.F16);
}
