// run_javascript: programs of models run in the built process, in its sandbox; each test name states a rule.

import { expect, test } from 'vitest';
import { BuiltinTools } from '../../src/features/builtin-tools/builtin-tools.ts';
import { createJavascriptTool } from '../../src/features/builtin-tools/javascript-tool.ts';
import { repository } from '../support/repository.ts';

const tool = createJavascriptTool({
  milliseconds: 1000,
  script: repository('dist/features/builtin-tools/javascript/javascript-program.js'),
  childSettings: {
    environment: { PATH: process.env['PATH'], SECRET: 'mulberry' },
    launcher: repository('dist/inference/runner/sandbox/launch.js'),
  },
});
const tools = new BuiltinTools(async () => [tool]);
const { signal } = new AbortController();
const run = (code: string) => tools.call('run_javascript', { code }, signal);

test('a program returns what it prints, and its last value', async () => {
  const code = `console.log('sum', 1 + 2, { a: [1] }); async function f() { return await Promise.resolve(6 * 7); } f()`;
  expect(await run(code)).toEqual({ text: 'sum 3 {"a":[1]}\n42\n', isError: false });
  expect(await run('const a = 1;')).toEqual({ text: 'The program printed nothing.', isError: false });
});

test.each([
  ['an error', `console.log('before'); null.x`, /^before\nTypeError: /],
  ['a syntax error', 'let = ;', /^SyntaxError: /],
  ['a rejected promise', `Promise.reject(new RangeError('no'))`, /^RangeError: no$/],
  ['a promise that nobody settles', 'new Promise(() => {})', /never settled/],
])('%s is a result that the model can read', async (_, code, text) => {
  expect(await run(code)).toEqual({ text: expect.stringMatching(text), isError: true });
});

test('nothing of the machine is within reach', async () => {
  const names = [
    'process',
    'require',
    'fetch',
    'WebSocket',
    'setTimeout',
    'WebAssembly',
    'Deno',
    'std',
    'os',
    'Worker',
  ];
  const code = `${JSON.stringify(names)}.filter((name) => name in globalThis).join() + '|' +
    [globalThis.constructor, console.log.constructor].map((f) => f.constructor('return typeof process')()).join()`;
  expect((await run(code)).text).toBe('|undefined,undefined\n');
  for (const source of ['fs', 'node:fs', '/etc/passwd', 'http://127.0.0.1/'])
    expect(await run(`import(${JSON.stringify(source)})`)).toMatchObject({ isError: true });
});

test.each([
  ['an endless loop', 'for (;;) {}', /ran for more than 1 s/],
  ['an endless loop that catches everything', 'for (;;) { try { for (;;) {} } catch {} }', /ran for more than 1 s/],
  ['an expression with endless backtracking', `/^(a+)+$/.test('a'.repeat(40) + 'b')`, /ran for more than 1 s/],
  ['an array that grows', 'const a = []; for (;;) a.push(new Array(1e5).fill(1))', /memory/],
  ['a string that doubles', `let s = 'x'; for (;;) s += s`, /memory|string/i],
  ['endless recursion', 'function f() { return f() + 1; } f()', /stack/],
  [
    'endless jobs',
    'function f() { return Promise.resolve().then(f); } f()',
    /ran for more than 1 s|memory|never settled/,
  ],
])('%s ends', async (_, code, text) => {
  expect(await run(code)).toEqual({ text: expect.stringMatching(text), isError: true });
});

test('a program that prints without end is cut', async () => {
  const { text } = await run(`for (let i = 0; i < 1e4; i++) console.log('x'.repeat(100))`);
  expect(text.length).toBeLessThan(33_000);
});

test('a canceled call ends its process, and a third program at a time is refused', async () => {
  const controller = new AbortController();
  const endless = [1, 2].map(() => tool.call({ code: 'for (;;) {}' }, controller.signal));
  expect(await run('1')).toEqual({ text: 'other programs are running; try again later', isError: true });
  controller.abort();
  const ended = await Promise.allSettled(endless);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await run('1')).toEqual({ text: '1\n', isError: false });
});
