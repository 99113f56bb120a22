import { expect, test } from 'vitest';
import { parseModelfile } from '../../src/formats/modelfile/parse-modelfile.ts';
import { deriveModelfile } from './derive-modelfile.ts';

test('a derived Modelfile has the parameters and the system prompt of its base', () => {
  const parameters = 'num_ctx                        4096\nstop                           "<|im_end|>"';
  const text = deriveModelfile('ember:latest', { parameters, system: 'Say "yes".\n# Twice.' });
  expect(parseModelfile(text).commands).toEqual([
    { kind: 'from', value: 'ember:latest' },
    { kind: 'parameter', name: 'num_ctx', value: '4096' },
    { kind: 'parameter', name: 'stop', value: '<|im_end|>' },
    { kind: 'system', value: '\nSay "yes".\n# Twice.\n' },
  ]);
});

test('a system prompt that cannot be written stays that of the base', () => {
  expect(deriveModelfile('ember', { system: 'a """ b' })).toBe('FROM ember\n');
});
