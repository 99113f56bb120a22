// Files of the installed package that the server reads, or runs in processes and threads of their own.

import { join } from 'node:path';

export interface PackageFiles {
  readonly runner: string;
  readonly quantizer: string;
  readonly describer: string;
  /** Starts the others in a sandbox. */
  readonly launcher: string;
  readonly computeThread: string;
  /** Another program by its path in src/. */
  scriptOf(name: string): string;
  /** Folders. */
  readonly embeddedModels: string;
  readonly page: string;
}

/** `root` is the folder with package.json. */
export function packageFiles(root: string): PackageFiles {
  const script = (name: string): string => join(root, 'dist', `${name}.js`);
  return {
    runner: script('inference/runner/process/main'),
    quantizer: script('inference/runner/programs/quantize'),
    describer: script('inference/runner/programs/describe'),
    launcher: script('inference/runner/sandbox/launch'),
    computeThread: script('inference/compute/thread-main'),
    scriptOf: script,
    embeddedModels: join(root, 'models'),
    page: join(root, 'dist', 'page'),
  };
}
