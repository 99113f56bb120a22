import { expect, test } from 'vitest';
import { type OptionKey, optionName, optionTable } from '../../../src/models/options.ts';
import { formatToText, optionInputs, parseFormat, withOption } from './chat-options.ts';

test('every option of the page is one of the server', () => {
  const names = (Object.keys(optionTable) as OptionKey[]).map(optionName);
  for (const { name } of optionInputs) expect(names).toContain(name);
});

test('an option is set, changed and removed', () => {
  expect(withOption({}, 'temperature', '0.5')).toEqual({ temperature: 0.5 });
  expect(withOption({ temperature: 0.5, seed: 1 }, 'temperature', '0')).toEqual({ temperature: 0, seed: 1 });
  expect(withOption({ temperature: 0.5 }, 'temperature', ' ')).toEqual({});
  expect(withOption({ temperature: 0.5 }, 'temperature', '-')).toEqual({});
});

test('the format is nothing, json or a schema', () => {
  expect(parseFormat('  ')).toEqual({ format: null });
  expect(parseFormat('json')).toEqual({ format: 'json' });
  expect(parseFormat('{"type": "object"}')).toEqual({ format: { type: 'object' } });
  expect(parseFormat('{"type": ')).toEqual({ problem: expect.stringContaining('Not JSON') });
  expect(parseFormat('[1]')).toEqual({ problem: 'A JSON schema is an object.' });
});

test('a format is shown as it was typed', () => {
  for (const format of [null, 'json', { type: 'object' }])
    expect(parseFormat(formatToText(format))).toEqual({ format });
});
