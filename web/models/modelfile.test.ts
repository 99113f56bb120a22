import { expect, test } from 'vitest';
import { parseModelfile } from '../../src/formats/modelfile/parse-modelfile.ts';
import { ApiError } from '../api/request.ts';
import { deriveModelfile, metadataRows, parameterRows, placeError } from './modelfile.ts';

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

test('parameters', () => {
  expect(parameterRows('num_ctx                        4096\nstop                           "<|im_end|>"\n\n')).toEqual(
    [
      ['num_ctx', '4096'],
      ['stop', '"<|im_end|>"'],
    ],
  );
});

test('metadata: what was left out is not listed, long values are cut', () => {
  const metadata = {
    'general.architecture': 'llama',
    'llama.context_length': 4096,
    'tokenizer.ggml.tokens': null,
    long: 'x'.repeat(400),
  };
  expect(metadataRows(metadata)).toEqual([
    ['general.architecture', 'llama'],
    ['llama.context_length', '4096'],
    ['long', `${'x'.repeat(300)}…`],
  ]);
});

const modelfile = '# comment\n\n  from nowhere\nSYSTEM x\n';
const errorOf = (message: string, code = 'bad_request') => new ApiError(message, { status: 400, code });

test.each([
  [errorOf('(line 4): unknown parameter\n(line 5): x'), { message: 'unknown parameter\n(line 5): x', line: 4 }],
  [errorOf('invalid model name'), { message: 'invalid model name' }],
  [
    errorOf('pull model manifest: not found', 'model_not_found'),
    { message: 'pull model manifest: not found', line: 3 },
  ],
  [new Error('failed'), { message: 'failed' }],
])('%s', (error, expected) => {
  expect(placeError(error, modelfile)).toEqual(expected);
});

test('without FROM, an error about the base model has no line', () => {
  expect(placeError(errorOf('not found', 'model_not_found'), 'SYSTEM x')).toEqual({ message: 'not found' });
});
