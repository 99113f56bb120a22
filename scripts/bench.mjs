// npm run bench: builds the server and the benchmark, then runs it.

import { run, runTool, setUp } from './setup.mjs';

setUp();
runTool('typescript-7/bin/tsc', ['-p', 'bench/tsconfig.json']);
run(process.execPath, ['build/bench/bench/main.js', ...process.argv.slice(2)]);
