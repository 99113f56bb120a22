import { expect, test } from 'vitest';
import { findTools } from './find-tools.ts';
import type { ToolServer, ToolServers } from './tool-server.ts';

const server = (name: string): ToolServer => ({
  name,
  listTools: async () => [],
  call: async () => ({ text: '', isError: false }),
});
const own = server('builtin');
const listed = [server('builtin'), server('files')];
const servers: ToolServers = {
  names: () => listed.map(({ name }) => name),
  find: (name) => listed.find((each) => each.name === name) as ToolServer,
  open: () => {
    throw new Error('not expected');
  },
  maxCalls: 3,
};

test('the tools of Hearth itself are found beside the listed ones, and first', () => {
  const both = findTools([{}, { toolServers: servers }, { ownTools: own }]);
  expect([both?.names(), both?.maxCalls]).toEqual([['builtin', 'files'], 3]);
  expect([both?.find('builtin') === own, both?.find('files') === listed[1]]).toEqual([true, true]);
  expect(findTools([{ toolServers: servers }, {}])).toBe(servers);
});
