// npm run test:interop: drives the server with Ollama's command, Ollama's Go package, Python packages, and npm packages
// that need a newer Node, and compares templates, renderers and parsers with Ollama's. The programs are built or installed
// into a cache folder. Without Go or pip, or without their indexes, it says what is skipped.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fetchNode } from './fetch-node.mjs';
import { prepareEnvironment, reasonOf } from './python-environment.mjs';
import { installPackages, root, run, setUpTests } from './setup.mjs';

/** Set by `prepareClientsToday`. */
let nodeOfToday;
const cache = process.env.HEARTH_INTEROP_CACHE || join(homedir(), '.cache', 'hearth-interop');
const goFolder = join(root, 'test/interop/go');
// A recent version, and the last one whose `run` sends every field.
const ollamaVersions = ['v0.34.4', 'v0.9.6'];
// Later versions have no templates with tools.
const goldensVersion = 'v0.8.0';

/** Fails without the module proxy and with a Go that is too old. */
const prepareGo = () => reasonOf('go', ['mod', 'download'], goFolder);

function prepareOllama() {
  // The command contains the engine. Compiling it takes minutes; the tests do not use it.
  const reason = prepareGo() ?? reasonOf('g++', ['--version']);
  if (reason !== undefined) return reason;
  for (const version of ollamaVersions) {
    const folder = join(cache, `ollama-${version}`);
    if (existsSync(join(folder, 'ollama'))) continue;
    console.error(`Building ollama ${version} …`);
    const environment = { CGO_ENABLED: '1', GOBIN: folder };
    run('go', ['install', `github.com/ollama/ollama@${version}`], { environment });
  }
}

/** The folders with Ollama's source: the one that is named, or else the modules'. */
const named = process.env.HEARTH_OLLAMA_SOURCE;
const sources = { goldens: named, renderers: named };

function downloadSource(part, version) {
  if (named) return;
  const words = ['mod', 'download', '-json', `github.com/ollama/ollama@${version}`];
  const { stdout, error } = spawnSync('go', words, { cwd: goFolder, encoding: 'utf8', timeout: 300_000 });
  if (error !== undefined) return error.message;
  const { Dir, Error: reason } = JSON.parse(stdout || '{"Error": "go mod download prints nothing"}');
  sources[part] = Dir;
  return reason;
}

const prepareGoldens = () => downloadSource('goldens', goldensVersion);

/** Fails with a source that is too old, and without the modules that it needs. */
const prepareRenderers = () =>
  downloadSource('renderers', ollamaVersions[0]) ??
  reasonOf('go', ['list', '-deps', '-test', './model/renderers', './model/parsers', './harmony'], sources.renderers);

const preparePython = (name) => prepareEnvironment(join(cache, `python-${name}`), `test/interop/python/${name}.txt`);

const pythonEnvironments = ['clients', 'instructor', 'litellm', 'lm_eval', 'pydantic_ai'];

/** Environments with clients that can be tested. */
let preparedPython = [];

/** One client that cannot be installed does not keep the others from being tested. */
function preparePythonClients() {
  const reasons = pythonEnvironments.map((name) => ({ name, reason: preparePython(name) }));
  for (const { name, reason } of reasons)
    if (reason !== undefined) console.error(`The Python clients of ${name}.txt are skipped: ${reason}.`);
  preparedPython = pythonEnvironments.filter((_, index) => reasons[index].reason === undefined);
  // The programs of the documents use these.
  return preparedPython.includes('clients') ? undefined : reasons[0].reason;
}

/** Chat templates: those of llama.cpp, those in the tests of Ollama, and, if HEARTH_VLLM_SOURCE names a checkout, vLLM's. */
const templateFolders = () =>
  [
    process.env.HEARTH_LLAMA_CPP_SOURCE && join(process.env.HEARTH_LLAMA_CPP_SOURCE, 'models/templates'),
    sources.renderers && join(sources.renderers, 'model/renderers/testdata'),
    process.env.HEARTH_VLLM_SOURCE && join(process.env.HEARTH_VLLM_SOURCE, 'examples'),
  ].filter(Boolean);

function prepareJinja() {
  const source = process.env.HEARTH_LLAMA_CPP_SOURCE;
  if (!source || !existsSync(join(source, 'models/templates'))) return 'HEARTH_LLAMA_CPP_SOURCE names no checkout';
  // Without Go, only the templates of llama.cpp are compared.
  downloadSource('renderers', ollamaVersions[0]);
  return preparePython('jinja');
}

/** The packages need a newer Node than this server. */
function prepareClientsToday() {
  installPackages(join(root, 'test/interop/clients-today'), 'clients for Node 22');
  try {
    nodeOfToday = fetchNode(22);
  } catch (error) {
    return String(error.stderr ?? error.message).trim();
  }
}

const parts = [
  { name: 'clients-today', needs: 'Node 22', prepare: prepareClientsToday },
  { name: 'go-client', needs: 'Go', prepare: prepareGo },
  { name: 'goldens', needs: 'Go or HEARTH_OLLAMA_SOURCE', prepare: prepareGoldens },
  { name: 'ollama-command', needs: 'Go and a C++ compiler', prepare: prepareOllama },
  { name: 'renderers', needs: 'Go, and Ollama 0.30 or later', prepare: prepareRenderers },
  { name: 'jinja', needs: 'pip and a checkout of llama.cpp', prepare: prepareJinja },
  {
    name: 'python-clients',
    needs: 'pip',
    prepare: preparePythonClients,
  },
  { name: 'cache-events', needs: 'pip', prepare: () => preparePython('cache_events') },
  { name: 'schemathesis', needs: 'pip', prepare: () => preparePython('schemathesis') },
];

setUpTests();
mkdirSync(cache, { recursive: true });
const words = process.argv.slice(2);
const chosen = parts.filter(({ name }) => words.includes(name));
const files = [];
for (const { name, needs, prepare } of chosen.length > 0 ? chosen : parts) {
  const reason = prepare();
  if (reason === undefined) files.push(`test/interop/${name}.test.ts`);
  else console.error(`The tests of ${name} are skipped: they need ${needs} (${reason}).`);
}
const others = words.filter((word) => parts.every(({ name }) => name !== word));

function runFiles(selected, { node = process.execPath, environment = {} } = {}) {
  if (selected.length === 0) return;
  const program = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.interop.config.ts'];
  run(node, [...program, ...selected, ...others], {
    environment: {
      HEARTH_INTEROP_CACHE: cache,
      HEARTH_INTEROP_OLLAMA: ollamaVersions.join(' '),
      HEARTH_INTEROP_PYTHON: preparedPython.join(' '),
      HEARTH_OLLAMA_SOURCE: sources.goldens ?? '',
      HEARTH_OLLAMA_RENDERERS: sources.renderers ?? '',
      HEARTH_JINJA_TEMPLATES: templateFolders().join(':'),
      ...environment,
    },
  });
}

const isToday = (file) => file.includes('clients-today');
runFiles(files.filter((file) => !isToday(file)));
runFiles(files.filter(isToday), { node: nodeOfToday, environment: { HEARTH_CLIENTS_TODAY: '1' } });
