// What the suites of others need: a cache folder, Python, and the output of their programs.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { whyPipCannotFind } from '../pip-index.mjs';
import { root, run, whenChanged } from '../setup.mjs';

const cache = process.env.HEARTH_STANDARDS_CACHE || join(homedir(), '.cache', 'hearth-standards');
mkdirSync(cache, { recursive: true });

export const inCache = (...words) => join(cache, ...words);
const python = inCache('python/bin/python');

/** Undefined if the variable names a checkout with this file; otherwise the reason to skip a suite. */
export function whyNoCheckout(variable, file) {
  const folder = process.env[variable];
  return folder && existsSync(join(folder, file)) ? undefined : `${variable} names no checkout with ${file}`;
}

export function preparePython() {
  const reason = whyPipCannotFind('llm-comply');
  if (reason !== undefined) return `pip is needed (${reason})`;
  const requirements = readFileSync(join(root, 'test/standards/requirements.txt'), 'utf8');
  whenChanged(inCache('.python-installed'), requirements, () => {
    console.error('Installing Python packages …');
    if (!existsSync(python)) run('python3', ['-m', 'venv', inCache('python')]);
    run(python, ['-m', 'pip', 'install', '--quiet', '-r', 'test/standards/requirements.txt']);
  });
}

/** What the program prints; its exit code says only whether a test failed. */
export function outputOf(command, args, { environment = {}, cwd = root } = {}) {
  const env = { ...process.env, ...environment };
  const options = { cwd, env, encoding: 'utf8', timeout: 1_200_000, maxBuffer: 256 * 2 ** 20 };
  const { stdout, stderr, status, error } = spawnSync(command, args, options);
  if (error !== undefined) throw error;
  if (stdout === '') throw new Error(`${command} prints nothing; exit code ${status}\n${stderr}`);
  return stdout;
}

/** Results of pytest, in the form that test/standards/report_tests.py writes. */
export function runPytest(files, { environment, cwd, options = [] }) {
  const path = inCache('report.jsonl');
  rmSync(path, { force: true });
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'report_tests', ...options, ...files];
  const plugins = { PYTHONPATH: join(root, 'test/standards'), PYTHONDONTWRITEBYTECODE: '1' };
  outputOf(python, args, { environment: { ...environment, ...plugins, HEARTH_STANDARDS_REPORT: path }, cwd });
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
