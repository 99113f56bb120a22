import { describe, expect, test } from 'vitest';
import { parseProcessLimits } from '../../base/process/process-limits.ts';
import {
  judgeLimits,
  judgeMemory,
  judgeNode,
  judgeSandbox,
  judgeSettings,
  parseProcessorQuota,
} from './machine-checks.ts';

describe('node', () => {
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
    expect(judgeNode({ ...facts, version })).toMatchObject({ status });
  });

  test('an emulated Node is a warning', () => {
    const mac = { ...facts, platform: 'darwin', processor: 'Apple M3' };
    expect(judgeNode(mac)).toMatchObject({ status: 'warning', nextStep: 'install Node for arm64' });
    expect(judgeNode({ ...mac, arch: 'arm64' })).toMatchObject({ status: 'ok' });
  });
});

describe('settings', () => {
  test('names of variables are shown', () => {
    expect(judgeSettings({ problems: [], warnings: [], given: [] })).toMatchObject([
      { status: 'ok', text: 'no variables are set' },
    ]);
    expect(judgeSettings({ problems: [], warnings: [], given: ['HEARTH_HOST', 'HTTPS_PROXY'] })).toMatchObject([
      { status: 'ok', text: 'set by variables: HEARTH_HOST, HTTPS_PROXY' },
    ]);
  });

  test('an invalid value is a problem, an ignored one a warning', () => {
    const findings = judgeSettings({ problems: ['HEARTH_HOST is bad'], warnings: ['OLLAMA_X is ignored'], given: [] });
    expect(findings.map(({ status }) => status)).toEqual(['problem', 'warning', 'ok']);
  });
});

describe('memory', () => {
  const facts = { total: 16e9, available: 9e9, budget: 0 };

  test.each([
    ['enough', facts, 'ok', '16 GB, 9 GB available'],
    ['a container', { ...facts, limit: 4e9 }, 'ok', '16 GB, 9 GB available, the limit of the container is 4 GB'],
    ['little left', { ...facts, available: 1e9 }, 'warning', '16 GB, 1 GB available'],
    [
      'a small container',
      { ...facts, limit: 1e9 },
      'warning',
      '16 GB, 9 GB available, the limit of the container is 1 GB',
    ],
    [
      'a budget that is too large',
      { ...facts, budget: 20e9 },
      'warning',
      expect.stringContaining('HEARTH_MEMORY_BUDGET'),
    ],
    ['a tiny container', { ...facts, limit: 0.4e9 }, 'problem', expect.stringContaining('400 MB')],
  ])('%s', (_, given, status, text) => {
    expect(judgeMemory(given)).toMatchObject({ status, text });
  });
});

describe('limits', () => {
  const limits = `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max processes             63439                63439                processes
Max open files            1024                 1048576              files
Max address space         unlimited            unlimited            bytes
`;

  test('the soft limits of the kernel are read', () => {
    expect(parseProcessLimits(limits)).toEqual({ openFiles: 1024, processes: 63_439 });
    expect(parseProcessLimits('')).toEqual({});
    expect(parseProcessorQuota('150000 100000\n')).toBe(1.5);
    expect(parseProcessorQuota('max 100000\n')).toBeUndefined();
    expect(parseProcessorQuota('')).toBeUndefined();
  });

  test('usual limits are ok', () => {
    expect(judgeLimits({ openFiles: 65_536, processors: 8 })).toEqual([
      { status: 'ok', text: 'open files: 65536, processors: 8' },
    ]);
    expect(judgeLimits({ processors: 8, processorQuota: 1.5 })).toEqual([
      {
        status: 'ok',
        text: 'open files: no limit is known, processors: 8, of which the container may use 1.5',
      },
    ]);
  });

  test.each([
    [{ openFiles: 256 }, /^a process may open only 256 files/],
    [{ addressSpace: 8e9 }, /^the address space is limited/],
    [{ processes: 64 }, /^only 64 processes and threads/],
  ])('%o is a warning', (given, text) => {
    expect(judgeLimits({ processors: 2, ...given })[0]).toMatchObject({
      status: 'warning',
      text: expect.stringMatching(text),
    });
  });
});

describe('sandbox', () => {
  const lines = ['sandbox: no new privileges: on', 'sandbox: landlock: version 4', 'sandbox: seccomp: no sockets'];
  const facts = { platform: 'linux', enabled: true, lines };

  test.each([
    ['all of it', facts, 'ok', 'Landlock and seccomp restrict runners'],
    ['macOS', { ...facts, platform: 'darwin', lines: [] }, 'ok', expect.stringContaining('no sandbox on darwin')],
    [
      'switched off',
      { ...facts, enabled: false, lines: [] },
      'warning',
      expect.stringContaining('HEARTH_SANDBOX is off'),
    ],
    ['no output', { ...facts, lines: [] }, 'warning', 'the sandbox did not start'],
    [
      'an old kernel',
      { ...facts, lines: ['sandbox: landlock: not available: ENOSYS', 'sandbox: seccomp: no sockets'] },
      'warning',
      'landlock: not available: ENOSYS',
    ],
  ])('%s', (_, given, status, text) => {
    expect(judgeSandbox(given)).toMatchObject([{ status, text }]);
  });
});
