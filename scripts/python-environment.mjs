// Virtual environments: those with the packages of a requirements file, and that of vLLM.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { whyPipCannotFind } from './pip-index.mjs';
import { root, whenChanged } from './setup.mjs';

/** npm run test:vllm -- --install fills it. */
export const vllmCache = process.env.HEARTH_VLLM_CACHE || join(homedir(), '.cache', 'hearth-vllm');

/** The last line of what a command prints when it fails. */
export function reasonOf(command, args, cwd = root) {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 300_000 });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n').at(-1));
}

/** Undefined if the folder has the packages now; otherwise the reason, in pip's words. */
export function prepareEnvironment(folder, requirementsPath) {
  const requirements = readFileSync(join(root, requirementsPath), 'utf8');
  const reason = whyPipCannotFind(/^[\w-]+/.exec(requirements)[0]);
  if (reason !== undefined) return reason;
  const noVenv = existsSync(join(folder, 'bin/pip')) ? undefined : reasonOf('python3', ['-m', 'venv', folder]);
  if (noVenv !== undefined) return noVenv;
  try {
    whenChanged(join(folder, '.hearth-installed'), requirements, () => install(folder, requirementsPath));
  } catch (error) {
    return error.message;
  }
}

/** An index may lack a package that another one needs. */
function install(folder, requirementsPath) {
  console.error(`Installing the Python packages of ${requirementsPath} …`);
  const words = ['-m', 'pip', 'install', '--quiet', '-r', requirementsPath];
  const { status, stderr } = spawnSync(join(folder, 'bin/python'), words, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
}
