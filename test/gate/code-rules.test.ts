// The checks of comments, of sizes, and of the use of `process` find what they look for.

import { expect, test } from 'vitest';
import { createTreeCheck } from '../support/check-tree.ts';

const checkComments = await createTreeCheck('scripts/checks/check-comments.mjs', 'checkComments');
const checkSizes = await createTreeCheck('scripts/checks/check-sizes.mjs', 'checkSizes');
const checkProcess = await createTreeCheck('scripts/checks/check-process.mjs', 'checkProcess');

test('a comment that begins with Of, Or, Its, Those or It fails', () => {
  const words = ['Of', 'Or', 'Its', 'Those', 'It'];
  const forms = (word: string) => [`/** ${word} a model. */`, `// ${word} a model.`, `/*\n * ${word} a model.\n */`];
  const files = words.flatMap((word) =>
    forms(word).map((comment, index) => [`src/${word}-${index}.ts`, `${comment}\nconst a = 1;\n`] as const),
  );
  const { output } = checkComments(Object.fromEntries(files));
  for (const word of words)
    for (const index of forms(word).keys())
      expect(output).toContain(`src/${word}-${index}.ts:1: the comment begins with "${word}"`);
});

test('a later line of a comment, a text and a longer word may begin with any word', () => {
  const code = [
    '// The name of a model.',
    '// Of two, the first.',
    'const a = `\n// Of a model.\n`;',
    '// Often, and Item.',
    "const b = '/* Or */';",
  ];
  expect(checkComments({ 'web/a.tsx': `${code.join('\n')}\n` })).toMatchObject({ ok: true });
});

test('a comment at the end of a line, in an interface, in a call and before a bracket fails', () => {
  const code =
    'interface A {\n  a: number; // Its size.\n  /** Bytes. */\n  b: number;\n  // Or c.\n}\nf(/* Or null */ 1);\n';
  expect(checkComments({ 'src/a.ts': code }).output.match(/src\/a\.ts:\d/g)).toEqual(
    [2, 3, 5, 7].map((line) => `src/a.ts:${line}`),
  );
});

test('a comment that is only a unit fails', () => {
  const units = ['Milliseconds.', 'In bytes', 'seconds', 'MiB.', 'Tokens.'];
  const alone = units.map((text) => `/** ${text} */\nconst limit = 1;\n`).join('');
  expect(checkComments({ 'src/a.ts': alone }).output.match(/the comment is only a unit/g)).toHaveLength(units.length);
  const more = units.map((text) => `/** ${text} for a load. */\nconst limit = 1;\n`).join('');
  expect(checkComments({ 'src/a.ts': more })).toMatchObject({ ok: true });
});

const list = 'scripts/checks/large-code.json';
const longFunction = (lines: number) => `function long() {\n${'  x;\n'.repeat(lines - 2)}}\n`;

test('a file that is too long and a function that is too long fail, and their list only gets shorter', () => {
  const long = { 'src/file.ts': 'x;\n'.repeat(301), 'src/function.ts': longFunction(101) };
  const short = { 'src/file.ts': 'x;\n'.repeat(300), 'src/function.ts': longFunction(100) };
  const allowed = JSON.stringify({ files: ['src/file.ts'], functions: ['src/function.ts long'] });
  expect(checkSizes(long).output).toContain(`src/file.ts has 301 lines, and 300 are allowed
src/function.ts long has 101 lines, and 100 are allowed`);
  expect(checkSizes(short)).toMatchObject({ ok: true });
  expect(checkSizes({ ...long, [list]: allowed })).toMatchObject({ ok: true });
  expect(checkSizes({ ...short, [list]: allowed }).output).toContain('src/function.ts long is not too long any more');
});

const table = 'scripts/checks/process-files.json';
const rows = JSON.stringify([{ path: 'src/config.ts', members: ['env'], why: 'a test' }]);
const config = 'export const environment = process.env;\n';

test('the environment and the output of the process are for the files of the table', () => {
  const wrong = [
    'process.env.HOME;',
    "process['env'];",
    'const { env } = process;',
    "import { env } from 'node:process';",
    'globalThis.process.env;',
    "process.stderr.write('x');",
    'const p = process;',
  ];
  const files = Object.fromEntries(wrong.map((code, index) => [`src/${index}.ts`, `${code}\n`]));
  const { output } = checkProcess({ [table]: rows, 'src/config.ts': config, 'src/a.ts': 'process.exit(1);', ...files });
  for (const index of wrong.keys())
    expect(output).toMatch(new RegExp(`src/${index}\\.ts:1: process\\.\\w+ is not for`));
  expect(output).not.toMatch(/src\/(a|config)\.ts/);
});

test('a file of the table may use only what its row says, and a row that nobody needs fails', () => {
  const check = (code: string) => checkProcess({ [table]: rows, 'src/config.ts': code }).output;
  expect(check(`${config}process.stdout.write('x');\n`)).toContain('process.stdout is not for this file');
  expect(check('export {};\n')).toContain('src/config.ts does not use process.env: remove it');
});
