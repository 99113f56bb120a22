// Static checks. `npm run check` runs them first; `npm test` runs them as tests.

import { join } from 'node:path';

const tool = (script, ...args) => ({ command: process.execPath, args: [join('node_modules', script), ...args] });
const own = (script, ...args) => ({ command: process.execPath, args: [join('scripts', script), ...args] });

export const staticChecks = [
  { name: 'format and lint', ...tool('@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.') },
  { name: 'types', ...tool('typescript/bin/tsc', '-p', 'tsconfig.json') },
  { name: 'types of the page', ...tool('typescript/bin/tsc', '-p', 'web/tsconfig.json') },
  { name: 'exports that nobody imports, names that are exported twice', ...own('checks/check-exports.mjs') },
  { name: 'comments', ...own('checks/check-comments.mjs') },
  { name: 'imports between folders', ...own('check-arrows.mjs', '--rings') },
  { name: 'environment and output of the process', ...own('checks/check-process.mjs') },
  { name: 'sizes of files and functions', ...own('checks/check-sizes.mjs') },
  { name: 'paths, folder maps and numbers in documents', ...own('checks/check-documents.mjs') },
  { name: 'references are up to date', ...own('write-references.mjs', '--check') },
];
