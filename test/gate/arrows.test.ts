// The import check finds forbidden imports, cycles, rings of folders and missing rows. Each test has its own folder.

import { expect, test } from 'vitest';
import { createTreeCheck } from '../support/check-tree.ts';

const run = await createTreeCheck('scripts/check-arrows.mjs', 'checkArrows');

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

const check: typeof run = (files) => run({ 'ARCHITECTURE.md': table, ...files });

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
  expect(check(files).output).toContain('ARCHITECTURE.md allows a ring: high, low');
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

test('folders with the same parent that import each other fail, at any depth and in rings of three', () => {
  const takes = (path: string) => `import type { Low } from '${path}';\nexport type L = Low;\n`;
  const pair = {
    'src/low/a/one.ts': takes('../b/deep/two.ts'),
    'src/low/a/three.ts': low,
    'src/low/b/deep/two.ts': low,
    'src/low/b/four.ts': takes('../a/three.ts'),
    'src/high/high.ts': low,
  };
  expect(check(pair)).toEqual({
    ok: false,
    output: `src/low/a, src/low/b import each other:
  src/low/a/one.ts imports src/low/b/deep/two.ts
  src/low/b/four.ts imports src/low/a/three.ts
`,
  });
  const three = { ...pair, 'src/low/b/four.ts': takes('../c/five.ts'), 'src/low/c/five.ts': takes('../a/three.ts') };
  expect(check(three).output).toContain('src/low/a, src/low/b, src/low/c import each other');
  const line = { ...three, 'src/low/c/five.ts': low };
  expect(check(line)).toMatchObject({ ok: true });
});

test('features may import what imports them, if no file does', () => {
  const rows =
    '| folder | may import |\n|---|---|\n| cli | features |\n| cli/command.ts | – |\n| features | cli/command.ts |\n\n';
  const files = {
    'ARCHITECTURE.md': rows.replaceAll(/ \|\n/g, ' | |\n'),
    'src/cli/command.ts': low,
    'src/cli/list.ts': "import type { F } from '../features/feature.ts';\nexport type L = F;\n",
    'src/features/feature.ts': "import type { Low } from '../cli/command.ts';\nexport type F = Low;\n",
  };
  expect(check(files)).toMatchObject({ ok: true });
});

test('a folder may import the folder around it and folders inside it', () => {
  const files = {
    'src/low/a.ts': "import type { Low } from './inner/b.ts';\nexport type L = Low;\n",
    'src/low/c.ts': low,
    'src/low/inner/b.ts': low,
    'src/low/inner/d.ts': "import type { Low } from '../c.ts';\nexport type L = Low;\n",
    'src/high/high.ts': low,
  };
  expect(check(files)).toMatchObject({ ok: true });
});
