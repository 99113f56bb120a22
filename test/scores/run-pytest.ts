// Runs a file of python/ with the environment that scripts/test-scores.mjs prepared for it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from '../interop/run-program.ts';
import { repository } from '../support/repository.ts';

/** Prints the figures that the tests print. */
export async function runPytest(name: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'hearth-scores-'));
  try {
    const program = join(process.env['HEARTH_SCORES_CACHE'] ?? '', `python-${name}`, 'bin', 'python');
    const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=short', '-rP', `test_${name}.py`];
    const { code, stdout, stderr } = await runProgram(program, words, {
      cwd: repository('test/scores/python'),
      environment: { HOME: home, PYTHONDONTWRITEBYTECODE: '1', HF_HUB_OFFLINE: '1', ...variables },
    });
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).not.toMatch(/skipped|deselected/);
    console.info(stdout.replace(/^(?:[=_ -].*|\.*.*\d+%\])$\n/gm, ''));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
