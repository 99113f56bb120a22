import { expect, test } from 'vitest';
import { judgeLimits, parseProcessLimits, parseProcessorQuota } from './limits.ts';

const limits = `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max processes             63439                63439                processes
Max open files            1024                 1048576              files
Max address space         unlimited            unlimited            bytes
`;

test('the soft limits of the kernel are read', () => {
  expect(parseProcessLimits(limits)).toEqual({ openFiles: 1024, processes: 63_439 });
  expect(parseProcessLimits('')).toEqual({});
  expect(parseProcessorQuota('150000 100000\n')).toEqual({ processorQuota: 1.5 });
  expect(parseProcessorQuota('max 100000\n')).toEqual({});
  expect(parseProcessorQuota('')).toEqual({});
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
