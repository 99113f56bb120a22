import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OptionKey, optionName, optionTable, parseOptions } from '../../models/options.ts';
import type { ModelfileCommand } from './modelfile.ts';
import { type ParameterValue, parametersOf, toParameterCommands } from './parameters.ts';
import { parseModelfile } from './parse-modelfile.ts';
import { printModelfile } from './print-modelfile.ts';

const valuesOf = (...lines: string[]) => parametersOf(parseModelfile(['FROM x', ...lines].join('\n'))).values;

describe('values have the types of the options table', () => {
  test.each<[string, string, ParameterValue]>([
    ['num_ctx', '4096', 4096],
    ['seed', '-1', -1],
    ['seed', '+7', 7],
    ['seed', '007', 7],
    ['seed', '9223372036854775807', 2 ** 63],
    ['seed', '-9223372036854775808', -(2 ** 63)],
    ['temperature', '0.7', 0.7],
    ['temperature', '1', 1],
    ['temperature', '.5', 0.5],
    ['temperature', '1.', 1],
    ['temperature', '-1e-3', -0.001],
    ['temperature', '+1E2', 100],
    ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text): [string, string, boolean] => ['use_mmap', text, true]),
    ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text): [string, string, boolean] => ['use_mmap', text, false]),
    ['stop', '<|end|>', ['<|end|>']],
    ['stop', '"\n"', ['\n']],
    ['stop', '42', ['42']],
    ['kv_cache_type_k', 'Q8_0', 'q8_0'],
    ['adapters', '0=0.5', ['0=0.5']],
    ['draft_model', 'small:1b', 'small:1b'],
    ['draft_num_predict', '4', 4],
    ['split_mode', 'Row', 'row'],
    ['tensor_split', '3,1', '3,1'],
    ['keep_alive', '300', 300],
    ['keep_alive', '-1', -1],
    ['keep_alive', '1h30m', '1h30m'],
  ])('%s %s is %j', (name, text, value) => {
    expect(valuesOf(`PARAMETER ${name} ${text}`)).toEqual({ [name]: value });
  });

  test('every option of the table is a parameter', () => {
    const texts = { int: '1', float: '1', bool: '1', strings: '1', text: 'small', adapters: '0=0.5', shares: '3,1' };
    for (const key of Object.keys(optionTable) as OptionKey[]) {
      const row = optionTable[key];
      const name = optionName(key);
      const ofKind = row.kind === 'choice' ? row.choices[0] : texts[row.kind];
      const text = 'form' in row ? row.form.example : ofKind;
      expect(Object.keys(valuesOf(`PARAMETER ${name} ${text}`))).toEqual([name]);
    }
  });
});

test('the last value counts, except that stop collects all', () => {
  const lines = ['top_k 1', 'stop a', 'top_k 2', 'stop b', 'stop a'].map((line) => `PARAMETER ${line}`);
  expect(valuesOf(...lines)).toEqual({ top_k: 2, stop: ['a', 'b', 'a'] });
});

test('deprecated parameters are ignored and reported', () => {
  const modelfile = parseModelfile('FROM x\nPARAMETER f16_kv maybe\nPARAMETER f16_kv true\nPARAMETER top_k 1');
  expect(parametersOf(modelfile)).toEqual({ values: { top_k: 1 }, deprecated: ['f16_kv'] });
});

describe('errors name the line', () => {
  test.each([
    ['num_ctx abc', '(line 2): invalid int value [abc]'],
    ['num_ctx 1.5', '(line 2): invalid int value [1.5]'],
    ['num_ctx 1_000', '(line 2): invalid int value [1_000]'],
    ['num_ctx 0x10', '(line 2): invalid int value [0x10]'],
    ['num_ctx ', '(line 2): invalid int value []'],
    ['seed 9223372036854775808', '(line 2): invalid int value [9223372036854775808]'],
    ['temperature abc', '(line 2): invalid float value [abc]'],
    ['temperature .', '(line 2): invalid float value [.]'],
    ['temperature 1e99', '(line 2): invalid float value [1e99]'],
    ['temperature NaN', '(line 2): invalid float value [NaN]'],
    ['temperature Infinity', '(line 2): invalid float value [Infinity]'],
    ['use_mmap abc', '(line 2): invalid bool value [abc]'],
    ['use_mmap yes', '(line 2): invalid bool value [yes]'],
    ['kv_cache_type_k q9', '(line 2): invalid value [q9]: use f16, bf16, f32, q8_0, q5_1, q5_0, q4_1, q4_0, iq4_nl'],
    ['adapters ahoy', '(line 2): invalid adapter [ahoy]: use a number such as 0, or 0=0.5 with a scale'],
    ['tensor_split 3;1', '(line 2): invalid shares [3;1]: use numbers such as 3,1'],
    [
      'keep_alive soon',
      '(line 2): invalid keep_alive [soon]: use seconds such as 300, a duration such as 10m, or -1 for no limit',
    ],
    ['colour red', "(line 2): unknown parameter 'colour'"],
    ['Num_Ctx 1', "(line 2): unknown parameter 'Num_Ctx'. Did you mean 'num_ctx'?"],
    ['numCtx 1', "(line 2): unknown parameter 'numCtx'. Did you mean 'num_ctx'?"],
    ['temprature 1', "(line 2): unknown parameter 'temprature'. Did you mean 'temperature'?"],
    ['keep_alve 1m', "(line 2): unknown parameter 'keep_alve'. Did you mean 'keep_alive'?"],
    ['constructor 1', "(line 2): unknown parameter 'constructor'"],
    [' num_ctx 1', "(line 2): unknown parameter ''"],
    [`num_ctx ${'9'.repeat(300)}`, `(line 2): invalid int value [${'9'.repeat(200)}…]`],
  ])('%s', (line, message) => {
    expect(() => valuesOf(`PARAMETER ${line}`)).toThrow(expect.objectContaining({ code: 'bad_request', message }));
  });

  test('where there is one', () => {
    const commands: ModelfileCommand[] = [{ kind: 'parameter', name: 'top_k', value: 'x' }];
    expect(() => parametersOf({ commands })).toThrow(expect.objectContaining({ message: 'invalid int value [x]' }));
  });
});

const arbitraryOf = {
  int: fc.maxSafeInteger(),
  float: fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  bool: fc.boolean(),
  strings: fc.array(fc.constantFrom('a', '"', '\n', ' b '), { minLength: 1 }),
  text: fc.constantFrom('', 'small', 'user/small:1b'),
  adapters: fc.array(fc.constantFrom('0', '1=0.5', '2=-1'), { minLength: 1 }),
  shares: fc.constantFrom('1', '3,1', '0.5,0,2'),
};
const anyValues = fc.record(
  Object.fromEntries(
    (Object.keys(optionTable) as OptionKey[]).map((key) => {
      const row = optionTable[key];
      const texts = key === 'overrideTensor' ? fc.constantFrom('exps=CPU') : arbitraryOf.text;
      const ofKind = { ...arbitraryOf, text: texts };
      const arbitrary = row.kind === 'choice' ? fc.constantFrom(...row.choices) : ofKind[row.kind];
      return [optionName(key), arbitrary as fc.Arbitrary<ParameterValue>];
    }),
  ),
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, ParameterValue>>;

test('values that are printed come back, and can be used as options', () => {
  fc.assert(
    fc.property(anyValues, (values) => {
      const text = printModelfile({ commands: [{ kind: 'from', value: 'x' }, ...toParameterCommands(values)] });
      const parsed = parametersOf(parseModelfile(text));
      expect(parsed).toEqual({ values, deprecated: [] });
      expect(parseOptions(parsed.values).unknown).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
