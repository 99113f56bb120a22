// The check of documents finds paths, folder maps and numbers of decisions that are not true.

import { expect, test } from 'vitest';
import { createTreeCheck } from '../support/check-tree.ts';

const check = await createTreeCheck('scripts/checks/check-documents.mjs', 'checkDocuments');
const files = { 'src/server/http/body.ts': '', 'src/server/log.ts': '', 'test/e2e/a.test.ts': '' };

test('paths that are there pass, also without their first folders', () => {
  const paths = [
    'src/server/http/body.ts',
    'server/http',
    'http/body.ts',
    'body.ts',
    'server/{log,http/body}.ts',
    'test/e2e',
  ];
  expect(check({ ...files, 'README.md': paths.map((path) => `\`${path}\`\n`).join('') })).toMatchObject({ ok: true });
});

test('paths that are not there fail', () => {
  const paths = ['src/server/gone.ts', 'server/http/gone.ts', 'gone.ts', 'test/gone', 'src/server/{gone2,log}.ts'];
  const { output } = check({ ...files, 'docs/page.md': paths.map((path) => `\`${path}\`\n`).join('') });
  expect(output.match(/^docs\/page\.md: there is no .*gone/gm)).toHaveLength(paths.length);
});

const map = (lines: readonly string[]) => `<!-- folder map -->\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`;

test('a folder map names every folder, and no other', () => {
  const lines = ['src/', '  server/   http/ (framework), a log', 'test/     tests'];
  expect(check({ ...files, 'A.md': map(lines) })).toMatchObject({ ok: true });
  expect(check({ ...files, 'src/new/a.ts': '', 'A.md': map(lines) }).output).toContain('does not have src/new');
  expect(check({ ...files, 'src/server/new/a.ts': '', 'A.md': map(lines) }).output).toContain('have src/server/new');
  expect(check({ ...files, 'bench/a.ts': '', 'A.md': map(lines) }).output).toContain('does not have bench');
  expect(check({ ...files, 'A.md': map([...lines, 'gone/  nothing']) }).output).toContain('there is no gone');
  const wrong = map(['src/', '  server/   http/, gone/', 'test/']);
  expect(check({ ...files, 'A.md': wrong }).output).toContain('there is no src/server/gone');
});

test('numbers of decisions have no gap and are used once', () => {
  const decisions = { 'docs/adr/0001-a.md': '', 'docs/adr/0003-b.md': '' };
  expect(check({ ...decisions, 'docs/README.md': '' }).output).toContain('there is no decision 2');
  expect(check({ ...decisions, 'docs/README.md': 'Number 2 was never used.\n' })).toMatchObject({ ok: true });
  const twice = { ...decisions, 'docs/adr/0003-c.md': '', 'docs/README.md': 'Numbers 2 and 3 were never used.\n' };
  expect(check(twice).output).toContain('the number 3 is used twice');
});
