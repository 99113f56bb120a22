import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { openTrace } from './open-trace.ts';

const clock = createFakeClock();
const newId = () => 'abcdefabcdefabcd';
const given = (flags: string) => ({
  traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`,
});
const traceExport = (samples: boolean) => ({ samples: () => samples });

test('without an export, only callers begin traces, and no work is kept', () => {
  expect(openTrace({}, true, { clock, newId })).toBeUndefined();
  expect(openTrace(given('01'), true, { clock, newId })?.work).toBeUndefined();
});

test('the caller decides whether its trace is exported', () => {
  for (const samples of [true, false]) {
    const parts = { clock, newId, traceExport: traceExport(samples) };
    expect(openTrace(given('01'), true, parts)?.work).toBeDefined();
    expect(openTrace(given('00'), true, parts)?.work).toBeUndefined();
  }
});

test('a request without a trace begins one, whose work is kept if it is sampled', () => {
  const sampled = openTrace({}, true, { clock, newId, traceExport: traceExport(true) });
  expect(sampled).toMatchObject({ traceId: newId() + newId(), spanId: newId(), isSampled: true });
  expect([sampled?.parentId, sampled?.work !== undefined]).toEqual([undefined, true]);
  const other = openTrace({}, true, { clock, newId, traceExport: traceExport(false) });
  expect([other?.isSampled, other?.work]).toEqual([false, undefined]);
});

test('only requests that ask a model are exported', () => {
  const parts = { clock, newId, traceExport: traceExport(true) };
  expect(openTrace({}, false, parts)).toBeUndefined();
  expect(openTrace(given('01'), false, parts)?.work).toBeUndefined();
});
