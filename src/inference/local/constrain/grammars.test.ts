import { describe, expect, test } from 'vitest';
import { createComputeHere } from '../../../../test/support/service-fixture.ts';
import { HearthError } from '../../../base/errors.ts';
import { jinjaCallSyntax } from '../../../formats/chat/detect-call-syntax.ts';
import { jsonObjectGrammar } from '../../../formats/grammar/gbnf/json.ts';
import type { Compute } from '../../compute/compute.ts';
import { createGrammars } from './hold-calls.ts';

/** Grammars, and the names of the tasks that they needed. */
function createCountedGrammars() {
  const here = createComputeHere();
  const computed: string[] = [];
  const compute: Compute = (name, input) => {
    computed.push(name);
    return here(name, input);
  };
  return { grammars: createGrammars(compute), computed };
}

const having = (word: string) => ({ grammar: expect.stringContaining(word), unenforced: [] });
const { layout } = jinjaCallSyntax('<tool_call>');
const calls = { tools: [{ name: 'paint', parameters: {} }], layout, parallel: true, fromStart: true };

describe('the grammar', () => {
  const { grammars } = createCountedGrammars();

  test('of no format, JSON, a schema and a grammar', async () => {
    expect(await grammars.ofFormat(undefined)).toBeUndefined();
    expect(await grammars.ofFormat({ type: 'json' })).toEqual({ grammar: jsonObjectGrammar, unenforced: [] });
    expect(await grammars.ofFormat({ type: 'schema', schema: { const: 'blue' } })).toEqual(having('blue'));
    expect(await grammars.ofFormat({ type: 'gbnf', grammar: 'root ::= "green"' })).toEqual(having('green'));
  });

  test('of a schema comes with the keywords that it does not enforce', async () => {
    const schema = { type: 'array', items: { type: 'integer', multipleOf: 67 }, uniqueItems: true };
    const found = await grammars.ofFormat({ type: 'schema', schema });
    expect(found?.unenforced).toEqual(['uniqueItems', 'items.multipleOf']);
  });

  test('of calls', async () => {
    expect(await grammars.ofCalls(calls)).toContain('paint');
  });

  test('a schema and a grammar of the same text are different', async () => {
    const refused = grammars.ofFormat({ type: 'gbnf', grammar: '{"const":"red"}' });
    await expect(refused).rejects.toThrow('format: the grammar');
    expect(await grammars.ofFormat({ type: 'schema', schema: { const: 'red' } })).toEqual(having('red'));
  });
});

describe('is computed once', () => {
  test.each<[string, object]>([
    ['for a schema', { const: 'a' }],
    ['for a large schema', { enum: Array.from({ length: 2000 }, (_, index) => `value ${index}`) }],
  ])('%s', async (_, schema) => {
    const { grammars, computed } = createCountedGrammars();
    const first = await grammars.ofFormat({ type: 'schema', schema });
    expect(await grammars.ofFormat({ type: 'schema', schema: structuredClone(schema) })).toBe(first);
    expect(computed).toEqual(['schemaToGrammar']);
  });

  test.each<[string, object]>([
    ['for a refused schema', { pattern: '(' }],
    [
      'for a large refused schema',
      { enum: Array.from({ length: 2000 }, (_, index) => `value ${index}`), pattern: '(' },
    ],
  ])('%s', async (_, schema) => {
    const { grammars, computed } = createCountedGrammars();
    const refused = () => grammars.ofFormat({ type: 'schema', schema });
    await expect(refused()).rejects.toThrow('format: ');
    await expect(refused()).rejects.toMatchObject({ code: 'bad_request' });
    expect(computed).toEqual(['schemaToGrammar']);
  });

  test('for a grammar and a required call', async () => {
    const { grammars, computed } = createCountedGrammars();
    for (let time = 0; time < 2; time++) {
      await grammars.ofFormat({ type: 'gbnf', grammar: 'root ::= "a"' });
      await grammars.ofCalls(calls);
    }
    expect(computed).toEqual(['rawToGrammar', 'callsToGrammar']);
  });
});

describe('requests at the same time', () => {
  const schema = { const: 'a' };

  test('share the work for the same schema', async () => {
    const { grammars, computed } = createCountedGrammars();
    const ask = () => grammars.ofFormat({ type: 'schema', schema });
    const [first, second] = await Promise.all([ask(), ask(), grammars.ofFormat({ type: 'json' })]);
    expect(second).toBe(first);
    expect(computed).toEqual(['schemaToGrammar']);
  });

  test('one that ends early leaves the work to the next', async () => {
    let begun = 0;
    const compute = (async () => {
      begun++;
      if (begun === 1) throw new HearthError('cancelled', 'request canceled');
      return { grammar: 'root ::= "a"', unenforced: [] };
    }) as unknown as Compute;
    const grammars = createGrammars(compute);
    const results = await Promise.allSettled([1, 2, 3].map(() => grammars.ofFormat({ type: 'schema', schema })));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(begun).toBe(2);
  });
});

test('a schema beyond the limits is refused without a task', async () => {
  const { grammars, computed } = createCountedGrammars();
  const schema = { enum: new Array(100_000).fill(1) };
  await expect(grammars.ofFormat({ type: 'schema', schema })).rejects.toThrow('has more than 25000 values');
  expect(computed).toEqual([]);
});

test('the error of a request that ended is not remembered', async () => {
  let calls = 0;
  const compute = (async () => {
    calls++;
    if (calls === 1) throw new HearthError('cancelled', 'request canceled');
    return { grammar: 'root ::= "a"', unenforced: [] };
  }) as unknown as Compute;
  const grammars = createGrammars(compute);
  const ask = () => grammars.ofFormat({ type: 'schema', schema: { const: 'a' } });
  await expect(ask()).rejects.toMatchObject({ code: 'cancelled' });
  expect(await ask()).toMatchObject({ grammar: 'root ::= "a"' });
});
