// Links in the documentation lead to files that exist, and its index is complete.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((name) => name !== '' && existsSync(repository(name)));

/** Targets of the links in a document, relative to the root. Links to other sites and to headings do not count. */
function targetsIn(document: string): string[] {
  const text = readFileSync(repository(document), 'utf8').replace(/^```.*?^```/gms, '');
  return [...text.matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !URL.canParse(target))
    .map((target) => join(dirname(document), target));
}

test('every link leads to a file', () => {
  const links = documents.flatMap((document) => targetsIn(document).map((target) => ({ document, target })));
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter(({ target }) => !existsSync(repository(target)))).toEqual([]);
});

test.each(['docs', 'docs/adr', 'docs/reference'])('docs/README.md lists all pages of %s', (folder) => {
  const index = 'docs/README.md';
  const listed = targetsIn(index).filter((target) => dirname(target) === folder);
  const present = readdirSync(repository(folder))
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.md') && name !== index);
  expect(listed.sort()).toEqual(present.sort());
});
