import { expect, test } from 'vitest';
import { judgeNode } from './node.ts';

const facts = {
  hearth: '1.0.0',
  version: '20.20.2',
  oldest: '20.18.1',
  platform: 'linux',
  arch: 'x64',
  processor: 'AMD EPYC',
};

test.each([
  ['20.18.1', 'ok'],
  ['22.0.0', 'ok'],
  ['20.18.0', 'problem'],
  ['18.99.99', 'problem'],
])('Node %s is %s', (version, status) => {
  expect(judgeNode({ ...facts, version })).toMatchObject([{ status }]);
});

test('an emulated Node is a warning', () => {
  const mac = { ...facts, platform: 'darwin', processor: 'Apple M3' };
  expect(judgeNode(mac)).toMatchObject([{ status: 'warning', nextStep: 'install Node for arm64' }]);
  expect(judgeNode({ ...mac, arch: 'arm64' })).toMatchObject([{ status: 'ok' }]);
});
