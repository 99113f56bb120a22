// Runs a script of the gate on a tree of files that a test writes.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { repository } from './repository.ts';

export interface CheckResult {
  readonly ok: boolean;
  readonly output: string;
}

/** A function that runs `script` on the given files, each time in a folder of its own. */
export function createTreeCheck(script: string): (files: Record<string, string>, ...flags: string[]) => CheckResult {
  const base = mkdtempSync(join(tmpdir(), 'hearth-gate-'));
  afterAll(() => rmSync(base, { recursive: true }));
  return (files, ...flags) => {
    const root = mkdtempSync(join(base, 'case-'));
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    }
    mkdirSync(join(root, 'src'), { recursive: true });
    const args = [repository(script), root, ...flags];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { ok: status === 0, output: stdout + stderr };
  };
}
