// Runs a check of the gate on a tree of files that a test writes.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { repository } from './repository.ts';

interface CheckResult {
  readonly ok: boolean;
  readonly output: string;
}

type Check = (sources: object, flags: readonly string[]) => { problems: string[]; summary: string };

/** Writes files below a new folder, and returns its path. */
export type WriteTree = (files: Readonly<Record<string, string>>) => string;

export function createTreeWriter(): WriteTree {
  const base = mkdtempSync(join(tmpdir(), 'hearth-gate-'));
  afterAll(() => rmSync(base, { recursive: true }));
  return (files) => {
    const root = mkdtempSync(join(base, 'case-'));
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    }
    mkdirSync(join(root, 'src'), { recursive: true });
    return root;
  };
}

const load = (script: string) => import(/* @vite-ignore */ pathToFileURL(repository(script)).href);

/**
 * A function that runs the check `name` of `script` on the given files, each time in a folder of its own. In this process: starting
 * one for each tree takes most of the time.
 */
export async function createTreeCheck(
  script: string,
  name: string,
): Promise<(files: Record<string, string>, ...flags: string[]) => CheckResult> {
  const { Sources } = await load('scripts/checks/read-sources.mjs');
  const check: Check = (await load(script))[name];
  const write = createTreeWriter();
  return (files, ...flags) => {
    const { problems, summary } = check(new Sources(write(files)), flags);
    const ok = problems.length === 0;
    return { ok, output: ok ? summary : `${problems.join('\n')}\n` };
  };
}
