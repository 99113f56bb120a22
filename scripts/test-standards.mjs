// npm run test:standards: test suites that nobody here wrote, against a real server with Ember. Prints how many tests of
// each pass, fail, or do not apply, with the reasons. Checkouts are named by environment variables, packages are
// installed into a cache folder. Without them, it says what is skipped. Arguments select suites.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyPipCannotFind } from './pip-index.mjs';
import { root, run, setUp, whenChanged } from './setup.mjs';
import { notApplicable } from './standards/not-applicable.mjs';

const cache = process.env.HEARTH_STANDARDS_CACHE || join(homedir(), '.cache', 'hearth-standards');
const checkouts = { responses: process.env.HEARTH_OPEN_RESPONSES_SOURCE, llama: process.env.HEARTH_LLAMA_CPP_SOURCE };
const model = 'standards';
const python = join(cache, 'python/bin/python');
// The tests of llama.cpp for Anthropic's API expect their server here.
const llamaPort = 8082;

function preparePython() {
  const reason = whyPipCannotFind('llm-comply');
  if (reason !== undefined) return `pip is needed (${reason})`;
  const requirements = readFileSync(join(root, 'test/standards/requirements.txt'), 'utf8');
  whenChanged(join(cache, '.python-installed'), requirements, () => {
    console.error('Installing Python packages …');
    if (!existsSync(python)) run('python3', ['-m', 'venv', join(cache, 'python')]);
    run(python, ['-m', 'pip', 'install', '--quiet', '-r', 'test/standards/requirements.txt']);
  });
}

function prepareResponses() {
  if (!checkouts.responses || !existsSync(join(checkouts.responses, 'bin/compliance-test.ts')))
    return 'HEARTH_OPEN_RESPONSES_SOURCE names no checkout of openresponses';
  const packages = ['bun@1.4.4', 'zod@3.25.76'];
  whenChanged(join(cache, '.bun-installed'), packages.join(' '), () => {
    console.error('Installing Bun …');
    run('npm', ['install', '--prefix', join(cache, 'bun'), '--no-save', '--loglevel=error', ...packages]);
  });
}

function prepareLlama() {
  if (!checkouts.llama || !existsSync(join(checkouts.llama, 'tools/server/tests')))
    return 'HEARTH_LLAMA_CPP_SOURCE names no checkout of llama.cpp';
  return preparePython();
}

/** Resolves with what the program prints; its exit code says only whether a test failed. */
function outputOf(command, args, { environment = {}, cwd = root } = {}) {
  const env = { ...process.env, ...environment };
  const { stdout, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 600_000 });
  if (error !== undefined) throw error;
  return stdout;
}

/** Results of a program that prints JSON. */
function readReport(text) {
  return JSON.parse(text).results.map(({ id, status, errors = [] }) => ({
    name: id,
    status,
    reason: errors.join(' '),
  }));
}

function runResponses(url) {
  const bun = join(cache, 'bun/node_modules/@oven/bun-linux-x64/bin/bun');
  const installed = join(cache, 'bun/node_modules/bun/bin/bun.exe');
  const args = ['run', 'bin/compliance-test.ts', '-u', `${url}/v1`, '-k', 'none', '-m', model, '--json'];
  const environment = { NODE_PATH: join(cache, 'bun/node_modules') };
  return readReport(outputOf(existsSync(installed) ? installed : bun, args, { cwd: checkouts.responses, environment }));
}

const complyFormats = {
  'open-responses': [],
  'openai-chat': ['--format', 'openai-chat'],
  anthropic: [
    ...['--format', 'anthropic', '--auth-header', 'x-api-key', '--no-bearer'],
    ...['-H', 'anthropic-version:2023-06-01'],
  ],
};

function runComply(url) {
  const program = join(cache, 'python/bin/llm-comply');
  const common = ['-u', `${url}/v1`, '-k', 'none', '-m', model, '--json'];
  return Object.values(complyFormats).flatMap((words) => readReport(outputOf(program, [...common, ...words])));
}

const resultLine = /^(PASSED|FAILED|SKIPPED|ERROR) (\S+)(?: - (.*))?$/gm;

/** pytest prints one line per test at its end. */
function runPytest(files, { environment, cwd, options = [] }) {
  const args = ['-m', 'pytest', '-rA', '-q', '--no-header', '-p', 'no:cacheprovider', ...options, ...files];
  const text = outputOf(python, args, { environment, cwd });
  const results = [...text.matchAll(resultLine)].map(([, status, name, reason = '']) => ({ status, name, reason }));
  // Skipped tests have their places instead of their names, several in a line.
  const tests = results.filter(({ status }) => status !== 'SKIPPED');
  const skipped = Number(/(\d+) skipped/.exec(text)?.[1] ?? 0);
  return [
    ...tests.map((test) => ({ ...test, status: test.status === 'PASSED' ? 'passed' : 'failed' })),
    ...Array.from({ length: skipped }, () => ({ name: '', status: 'skipped', reason: 'the suite skips it' })),
  ];
}

function runLangChain(url) {
  // The clients keep their connections between tests.
  const options = ['-o', 'asyncio_mode=auto', '-o', 'asyncio_default_test_loop_scope=session'];
  const environment = { HEARTH_STANDARDS_URL: url, HEARTH_STANDARDS_MODEL: model };
  return runPytest(['test/standards/langchain_suite.py'], { environment, cwd: root, options });
}

function runLlama() {
  const cwd = join(checkouts.llama, 'tools/server/tests');
  const environment = { DEBUG_EXTERNAL: '1', PORT: String(llamaPort) };
  return runPytest(['unit/test_compat_anthropic.py'], { environment, cwd });
}

const suites = [
  { name: 'open-responses', prepare: prepareResponses, run: runResponses },
  { name: 'llm-comply', prepare: preparePython, run: runComply },
  { name: 'langchain', prepare: preparePython, run: runLangChain },
  { name: 'llama.cpp', prepare: prepareLlama, run: runLlama, port: llamaPort },
];

async function startServer(port) {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-standards-'));
  const env = { PATH: process.env.PATH, HOME: folder, HEARTH_HOST: `127.0.0.1:${port}` };
  // A file, because nothing reads a pipe while a suite runs.
  const logPath = join(folder, 'server.log');
  const log = openSync(logPath, 'w');
  const child = spawn(process.execPath, ['dist/main.js', 'serve'], { cwd: root, env, stdio: ['ignore', log, log] });
  for (;;) {
    const printed = readFileSync(logPath, 'utf8');
    const [, url] = /listening on (http:\S+)/.exec(printed) ?? [];
    if (url !== undefined) return { url, folder, child };
    if (child.exitCode !== null) throw new Error(`the server does not start:\n${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Without randomness. Ember does not stop counting by itself. */
async function createModels(url) {
  const parameters = { temperature: 0, stop: [', 6'] };
  for (const name of [model, 'test']) {
    const body = JSON.stringify({ model: name, from: 'ember-eyes', parameters, stream: false });
    const response = await fetch(`${url}/api/create`, { method: 'POST', body });
    if (!response.ok) throw new Error(await response.text());
  }
}

function report(suite, results) {
  const judged = results.map((result) => {
    if (result.status === 'skipped') return result;
    const row = notApplicable.find(({ pattern }) => pattern.test(`${suite} ${result.name}`));
    return result.status === 'failed' && row ? { ...result, status: 'skipped', reason: row.reason } : result;
  });
  const of = (status) => judged.filter((result) => result.status === status);
  console.log(
    `${suite}: ${of('passed').length} passed, ${of('failed').length} failed, ${of('skipped').length} not applicable`,
  );
  for (const { name, reason } of of('failed')) console.log(`  failed: ${name}: ${reason}`);
  const reasons = new Map();
  for (const { reason } of of('skipped')) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const [reason, count] of reasons) console.log(`  not applicable: ${count}: ${reason}`);
  return of('failed').length;
}

setUp();
mkdirSync(cache, { recursive: true });
const words = process.argv.slice(2);
let failed = 0;
for (const { name, prepare, run: runSuite, port = 0 } of suites) {
  if (words.length > 0 && !words.includes(name)) continue;
  const reason = prepare();
  if (reason !== undefined) {
    console.log(`${name}: skipped: ${reason}`);
    continue;
  }
  const { url, folder, child } = await startServer(port);
  try {
    await createModels(url);
    const results = runSuite(url);
    // A suite that ran no test has not passed.
    if (results.length === 0) throw new Error(`${name} ran no tests`);
    failed += report(name, results);
  } finally {
    child.kill();
    await once(child, 'close');
    rmSync(folder, { recursive: true, force: true });
  }
}
process.exitCode = failed === 0 ? 0 : 1;
