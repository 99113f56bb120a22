// Loaded into the server by `bench walk` (`node --import`), and by it into its runners: records which functions run. A
// SIGUSR2 writes what ran since the previous one into the folder in the query of this module's URL, and starts again.

import childProcess from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';

const folder = new URL(import.meta.url).searchParams.get('folder') as string;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('SIGUSR2', () => {
  session.post('Profiler.takePreciseCoverage', (error, taken: Profiler.TakePreciseCoverageReturnType) => {
    if (error !== null) throw error;
    const path = join(folder, `${process.pid}.json`);
    const own = taken.result.filter(({ url }) => url.includes('/dist/'));
    writeFileSync(`${path}.part`, JSON.stringify(own));
    renameSync(`${path}.part`, path);
  });
});

// Runners get few environment variables, so NODE_OPTIONS does not reach them.
const { spawn } = childProcess;
const spawnProbed = (command: string, args: readonly string[], options: childProcess.SpawnOptions) => {
  const isRunner = args.some((arg) => arg.endsWith('runner/process/main.js'));
  return spawn(command, isRunner ? ['--import', import.meta.url, ...args] : args, options);
};
childProcess.spawn = spawnProbed as typeof spawn;
