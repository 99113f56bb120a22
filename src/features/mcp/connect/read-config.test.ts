import { expect, test } from 'vitest';
import { parseConfig } from './read-config.ts';

const parse = (mcpServers: unknown) => parseConfig(JSON.stringify({ mcpServers }));

test('reads programs and addresses, without those that are disabled', () => {
  expect(
    parse({
      files: { command: 'npx', args: ['-y', 'x'], env: { A: 'b' }, other: 1 },
      web: { type: 'http', url: 'https://a.example/mcp', headers: { b: 'c' } },
      off: { command: 'x', disabled: true },
    }),
  ).toEqual([
    { kind: 'stdio', name: 'files', command: 'npx', args: ['-y', 'x'], env: { A: 'b' } },
    { kind: 'http', name: 'web', url: 'https://a.example/mcp', headers: { b: 'c' } },
  ]);
  expect(parseConfig('{}')).toEqual([]);
});

test.each([
  [[], /mcpServers must be an object/],
  [{ a: 1 }, /mcpServers.a must be an object/],
  [{ 'a b': { command: 'x' } }, /"a b" is no name/],
  [{ a: {} }, /either a command or a url/],
  [{ a: { command: 'x', url: 'http://a' } }, /either a command or a url/],
  [{ a: { command: 1 } }, /command must be a text/],
  [{ a: { command: 'x', args: [1] } }, /args must be an array of texts/],
  [{ a: { command: 'x', env: { A: 1 } } }, /values of mcpServers.a.env must be texts/],
  [{ a: { url: 'file:///etc/passwd' } }, /http or https/],
  [Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`s${index}`, { command: 'x' }])), /more than 64/],
])('refuses %j', (servers, reason) => {
  expect(() => parse(servers)).toThrow(reason);
});
