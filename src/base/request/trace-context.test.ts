import { expect, test } from 'vitest';
import { toTraceHeaders, traceOfHeaders } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const read = (traceparent: string | undefined, tracestate?: string) =>
  traceOfHeaders({ traceparent, tracestate }, () => 'cccccccccccccccc');

test('a trace has the ids of the caller, and a new one for this server', () => {
  const trace = { traceId, parentId, spanId: 'cccccccccccccccc', state: undefined };
  expect(read(`00-${traceId}-${parentId}-01`)).toEqual({ ...trace, isSampled: true });
  expect(read(`00-${traceId}-${parentId}-02`)).toEqual({ ...trace, isSampled: false });
});

test('a later version may have more fields', () => {
  expect(read(`01-${traceId}-${parentId}-01-more`)?.traceId).toBe(traceId);
  expect(read(`00-${traceId}-${parentId}-01-more`)).toBeUndefined();
  expect(read(`01-${traceId}-${parentId}-01more`)).toBeUndefined();
  expect(read(`01-${traceId}-${parentId}-01-${'x'.repeat(100_000)}`)).toBeUndefined();
});

test.each([
  undefined,
  '',
  'x',
  `ff-${traceId}-${parentId}-01`,
  `00-${'0'.repeat(32)}-${parentId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${parentId}-01`,
  `00-${traceId}-${parentId}`,
  `00-${traceId}-${parentId}-1`,
  `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
  `00-${traceId}-${parentId}-01\r\nx: y`,
])('%j names no trace', (header) => {
  expect(read(header)).toBeUndefined();
});

test('the state of other tools is handed on if it is printable and short', () => {
  const header = `00-${traceId}-${parentId}-01`;
  const stateOf = (state: string) => read(header, state)?.state;
  expect(stateOf('a=1,b=2')).toBe('a=1,b=2');
  for (const state of ['', 'a=\u0001', 'ä=1', 'x'.repeat(513)]) expect(stateOf(state)).toBeUndefined();
});

test('what is handed on is read as it was', () => {
  const trace = read(`00-${traceId}-${parentId}-01`, 'a=1');
  if (trace === undefined) throw new Error('no trace');
  expect(traceOfHeaders(toTraceHeaders(trace), () => 'd')).toEqual({ ...trace, parentId: trace.spanId, spanId: 'd' });
});
