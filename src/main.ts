// The command `hearth`. Commands import their work when they run, so that the others start quickly.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDeferred } from './base/deferred.ts';
import { createCommandTable } from './cli/program/command-table.ts';
import { runCli } from './cli/program/run-cli.ts';
import { features } from './features/features.ts';

const packageFolder = dirname(import.meta.dirname);
const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const started = createDeferred<void>();
/** Resolves when this process has become a server. */
export const serving = started.promise;

void runCli({
  words: process.argv.slice(2),
  commands: createCommandTable(features.flatMap(({ commands = [] }) => commands)),
  version,
  packageFolder,
  onServing: started.resolve,
}).then((code) => {
  process.exitCode = code;
});
