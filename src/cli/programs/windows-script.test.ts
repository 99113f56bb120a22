import { expect, test } from 'vitest';
import { toSpawnLine } from './windows-script.ts';

test('a program is started directly', () => {
  for (const [file, platform] of [
    ['/bin/agent', 'linux'],
    ['/bin/agent.cmd', 'linux'],
    ['C:\\agent.exe', 'win32'],
  ] as const)
    expect(toSpawnLine(file, ['a b'], platform)).toEqual({ program: file, args: ['a b'], verbatim: false });
});

test('a script on Windows is started by its shell, with arguments that survive two parses', () => {
  expect(toSpawnLine('C:\\my bin\\agent.CMD', ['a', 'b"c', 'd\\', '%PATH%'], 'win32')).toEqual({
    program: 'cmd.exe',
    args: ['/d', '/s', '/c', '"C:\\my^ bin\\agent.CMD ^^^"a^^^" ^^^"b\\^^^"c^^^" ^^^"d\\\\^^^" ^^^"^^^%PATH^^^%^^^""'],
    verbatim: true,
  });
});
