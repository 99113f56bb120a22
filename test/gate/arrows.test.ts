// The import check finds forbidden imports, cycles and missing rows. Each test has its own folder.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-arrows-'));
afterAll(() => rmSync(base, { recursive: true }));

const table = `| folder | may import | what it owns |
|---|---|---|
| low | – | words |
| high | low | deeds |

`;

const nested = `| folder | may import | contents |
|---|---|---|
| high | – | |
| high/inner | high/*-schema.ts | |
| high/*-schema.ts | – | |

`;

function check(files: Readonly<Record<string, string>>): { readonly ok: boolean; readonly output: string } {
  const root = mkdtempSync(join(base, 'case-'));
  for (const [name, content] of Object.entries({ 'ARCHITECTURE.md': table, ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  mkdirSync(join(root, 'src'), { recursive: true });
  const script = repository('scripts/check-arrows.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  return { ok: status === 0, output: stdout + stderr };
}

const low = 'export interface Low { a: number }\n';

test('an import along an arrow passes', () => {
  const high = "import type { Low } from '../low/low.ts';\nexport const high: Low = { a: 1 };\n";
  expect(check({ 'src/low/low.ts': low, 'src/high/high.ts': high })).toMatchObject({ ok: true });
});

test('an import against the arrow fails, also one of types alone', () => {
  const files = {
    'src/high/high.ts': low,
    'src/low/low.ts': "import type { Low } from '../high/high.ts';\nexport type L = Low;\n",
  };
  expect(check(files)).toEqual({ ok: false, output: expect.stringContaining('low may not import high') });
});

test('a cycle fails, also inside a folder', () => {
  const one = "import { b } from './b.ts';\nexport const a: number = b;\n";
  const other = "import { a } from './a.ts';\nexport const b: number = a;\n";
  expect(check({ 'src/low/a.ts': one, 'src/low/b.ts': other }).output).toContain('part of an import cycle');
});

test('rows that may import each other fail', () => {
  const ring = table.replace('| low | – |', '| low | high |');
  const files = { 'ARCHITECTURE.md': ring, 'src/low/low.ts': low, 'src/high/high.ts': low };
  expect(check(files).output).toContain('ARCHITECTURE.md allows a ring: low → high → low');
});

test('the page takes only types from the server, from every row', () => {
  const page = table.replace('| low |', '| web/view | low | |\n| low |');
  const files = (keyword: string) => ({
    'ARCHITECTURE.md': page,
    'src/low/low.ts': `${low}export const word = 1;\n`,
    'src/high/high.ts': low,
    'web/view/view.ts': `${keyword} from '../../src/low/low.ts';\nexport const view: Low = { a: 1 };\n`,
  });
  expect(check(files('import type { Low }'))).toMatchObject({ ok: true });
  expect(check(files('import { type Low, word }')).output).toContain('the page takes only types from the server');
});

test('a file without a row fails', () => {
  expect(check({ 'src/new/new.ts': low }).output).toContain('src/new/new.ts: ARCHITECTURE.md has no row for it');
});

test('nothing read is a failure and no success', () => {
  expect(check({})).toEqual({ ok: false, output: expect.stringContaining('no file was read') });
});

test('a subfolder has its own row, and a pattern covers files by their ending', () => {
  const files = {
    'ARCHITECTURE.md': nested,
    'src/high/high.ts': low,
    'src/high/deep/wire-schema.ts': low,
    'src/high/inner/inner.ts': "import type { Low } from '../deep/wire-schema.ts';\nexport type L = Low;\n",
  };
  expect(check(files)).toMatchObject({ ok: true });
  const forbidden = "import type { Low } from '../high.ts';\nexport type L = Low;\n";
  expect(check({ ...files, 'src/high/inner/inner.ts': forbidden }).output).toContain('high/inner may not import high');
});
