// An Ember that nothing has been quantised away of, as far as a machine without the original can have one: the Q8_0 turned
// back into F16 by the engine's own quantiser.

import { execFileSync } from 'node:child_process';
import { repository } from '../repository.ts';

const fileTypes = { F16: 1 } as const;

/** Runs the quantiser by itself, as the server would. */
export function quantizeDirectly(source: string, target: string, fileType: number): void {
  execFileSync(
    process.execPath,
    [repository('dist/inference/runner/quantize.js'), source, target, String(fileType), '0'],
    {
      stdio: 'ignore',
    },
  );
}

export function writeEmberF16(target: string): void {
  quantizeDirectly(repository('models/ember-q8_0.gguf'), target, fileTypes.F16);
}
