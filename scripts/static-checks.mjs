// Static checks. `npm run check` runs them first; `npm test` runs them as tests.

import { join } from 'node:path';

const tool = (script, ...args) => ({ command: process.execPath, args: [join('node_modules', script), ...args] });
const own = (script, ...args) => ({ command: process.execPath, args: [join('scripts', script), ...args] });
// The compiler remembers what it checked, and checks what depends on changes.
const types = (project, memory) =>
  tool(
    'typescript-7/bin/tsc',
    '-p',
    project,
    // Several threads would check the same types several times.
    '--singleThreaded',
    '--incremental',
    '--tsBuildInfoFile',
    join('node_modules', '.cache', `hearth-${memory}.json`),
  );

export const staticChecks = [
  { name: 'format and lint', ...tool('@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.') },
  { name: 'types', ...types('tsconfig.json', 'types') },
  { name: 'types of the page', ...types('web/tsconfig.json', 'page-types') },
  { name: 'exports, comments, uses of the process, sizes, imports, documents', ...own('checks/check-code.mjs') },
  { name: 'references are up to date', ...own('write-references.mjs', '--check') },
];
