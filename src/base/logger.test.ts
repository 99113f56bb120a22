import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createLogger, type LogLevel } from './logger.ts';
import { runInRequest } from './request/request-scope.ts';

function logLines(level: LogLevel, format: 'text' | 'json' = 'text') {
  const lines: string[] = [];
  const logger = createLogger({ clock: createFakeClock(0), level, format, write: (line) => lines.push(line) });
  return { logger, lines };
}

test('a line has time, level, message and key=value pairs; undefined values are omitted', () => {
  const { logger, lines } = logLines('info');
  logger.info('model loaded', { model: 'ember:latest', ms: 12, reason: undefined, note: 'two words' });
  expect(lines).toEqual(['1970-01-01T00:00:00.000Z info  model loaded model=ember:latest ms=12 note="two words"\n']);
});

test('messages below the configured level are not written', () => {
  const { logger, lines } = logLines('warn');
  logger.debug('a');
  logger.info('b');
  logger.warn('c');
  logger.error('d');
  expect(lines.map((line) => line.split(' ')[1])).toEqual(['warn', 'error']);
});

test('a line break in client input cannot forge a second log line', () => {
  const { logger, lines } = logLines('info');
  logger.info('no model "x\n1970 error forged"', { name: 'y\nz' });
  expect(lines.join('').split('\n')).toHaveLength(2);
});

test('the JSON format writes one object per line', () => {
  const { logger, lines } = logLines('info', 'json');
  logger.warn('no model "x\ny"', { ms: 12, reason: undefined });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: '1970-01-01T00:00:00.000Z', level: 'warn', message: 'no model "x\ny"', ms: 12 },
  ]);
  expect(lines.join('').split('\n')).toHaveLength(2);
});

test('log lines written during a request carry its id', () => {
  const { logger, lines } = logLines('info');
  const request = { id: 'abc', client: 'c', signal: new AbortController().signal };
  runInRequest(request, () => logger.info('answered', { ms: 1 }));
  expect(lines).toEqual(['1970-01-01T00:00:00.000Z info  answered ms=1 request=abc\n']);
});

test('log lines of a request that belongs to a trace carry the id of the trace', () => {
  const { logger, lines } = logLines('info', 'json');
  const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', isSampled: true };
  runInRequest({ id: 'abc', client: 'c', signal: new AbortController().signal, trace }, () => logger.info('answered'));
  expect(JSON.parse(lines.join(''))).toMatchObject({ request: 'abc', trace: trace.traceId });
});

test.each(['text', 'json'] as const)('control characters of client input are not logged (%s)', (format) => {
  const { logger, lines } = logLines('info', format);
  const hostile = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u007f\u202egnp\u2028';
  logger.warn(`no model ${hostile}`, { name: hostile, plain: `x${hostile}` });
  expect(lines).toHaveLength(1);
  // Neither raw nor escaped as JSON: a viewer would decode it.
  expect(lines[0]).toMatch(/^[\x20-\x7e]+\n$/);
  expect(lines[0]).not.toContain('\\u');
});
