import { expect, test } from 'vitest';
import { withCallIds } from './call-ids.ts';

const call = (name: string, id?: string) => ({ ...(id ? { id } : {}), type: 'function', function: { name } });
const answer = (fields: Record<string, unknown>) => ({ role: 'tool', content: 'x', ...fields });
const idsIn = (messages: readonly Record<string, unknown>[], source = '') =>
  withCallIds(messages, source).flatMap((message) =>
    Array.isArray(message['tool_calls'])
      ? message['tool_calls'].map(({ id }) => id)
      : [[message['tool_call_id'], message['name']]],
  );

test('calls without an id get one, and results get the id of their call', () => {
  const messages = [
    { role: 'assistant', tool_calls: [call('f'), call('g')] },
    answer({ name: 'g' }),
    answer({}),
    { role: 'assistant', tool_calls: [call('f')] },
    answer({ name: 'h' }),
  ];
  expect(idsIn(messages)).toEqual([
    'call00000',
    'call00001',
    ['call00001', 'g'],
    ['call00000', 'f'],
    'call00002',
    ['call00002', 'h'],
  ]);
});

test('ids are kept unless the template requires nine letters and digits', () => {
  const messages = [
    { role: 'assistant', tool_calls: [call('f', 'call_abcdefgh')] },
    answer({ tool_call_id: 'call_abcdefgh' }),
  ];
  expect(idsIn(messages)).toEqual(['call_abcdefgh', ['call_abcdefgh', 'f']]);
  expect(idsIn(messages, '{% if c.id|length != 9 %}')).toEqual(['call00000', ['call00000', 'f']]);
});
