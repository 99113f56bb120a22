// Texts sampled from a grammar satisfy its schema, as judged by ajv.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseGbnf } from '../../../test/support/grammar/gbnf.ts';
import { seededRandom } from '../../../test/support/grammar/gbnf-sampler.ts';
import { schemaCases } from '../../../test/support/grammar/schema-cases.ts';
import { validatorOf } from '../../../test/support/grammar/validator.ts';
import { repository } from '../../../test/support/repository.ts';
import { rawGrammarLimits } from './gbnf/parse-gbnf.ts';
import { grammarLimits } from './limits/limits.ts';
import { partlyEnforced } from './schema/keywords.ts';
import { schemaToGrammar } from './schema.ts';

const samples = 100;

describe.each(schemaCases)('$name', ({ schema, ajvSchema = schema, valid, invalid }) => {
  const grammar = parseGbnf(schemaToGrammar(schema));
  const validate = validatorOf(ajvSchema);
  const show = (value: unknown): string => JSON.stringify(value).slice(0, 200);

  test('sampled texts satisfy the schema', () => {
    const random = seededRandom(1);
    for (let count = 0; count < samples; count++) {
      const text = grammar.sample(random);
      expect(validate(JSON.parse(text)), `${text.slice(0, 500)}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });

  test('accepts valid values, compact or indented, and rejects invalid ones', () => {
    for (const value of valid) {
      expect(validate(value), show(value)).toBe(true);
      expect(grammar.matches(JSON.stringify(value)), show(value)).toBe(true);
      expect(grammar.matches(JSON.stringify(value, null, 2)), show(value)).toBe(true);
    }
    for (const value of invalid) expect(grammar.matches(JSON.stringify(value)), show(value)).toBe(false);
  });
});

describe('white space', () => {
  const grammar = parseGbnf(
    schemaToGrammar({ type: 'object', properties: { a: { type: 'array', items: { type: 'null' } } } }),
  );

  test('is bounded', () => {
    expect(grammar.matches(`{\n${' '.repeat(16)}"a": [\n\t\tnull, null\n]\n}`)).toBe(true);
    expect(grammar.matches(`{\n${' '.repeat(17)}"a": []}`)).toBe(false);
    expect(grammar.matches('{\n\n"a": []}')).toBe(false);
    expect(grammar.matches('{ "a": [null,  null] }')).toBe(false);
    expect(grammar.matches('{} ')).toBe(false);
  });
});

describe('digits', () => {
  test.each([{ type: 'integer' }, { type: 'number' }, { type: 'number', minimum: 0 }, { type: 'integer', maximum: 0 }])(
    'are bounded: %j',
    (schema) => {
      const grammar = parseGbnf(schemaToGrammar(schema));
      expect(grammar.matches('0')).toBe(true);
      expect(grammar.matches('1'.repeat(40))).toBe(false);
      expect(grammar.matches(`0.${'1'.repeat(40)}`)).toBe(false);
      expect(grammar.matches('1e999')).toBe(false);
    },
  );
});

describe('docs/grammar.md', () => {
  const page = readFileSync(repository('docs/grammar.md'), 'utf8');
  const block = (language: string): string =>
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';

  test('the example is what the code returns', () => {
    expect(schemaToGrammar(JSON.parse(block('json')))).toBe(block('gbnf'));
  });

  test('lists the keywords that are not enforced, or not with every value', () => {
    const section = /^## What is not enforced\n(.*?)^## /ms.exec(page)?.[1] ?? '';
    const rows = section.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
    const listed = rows.flatMap((row) => [...row.matchAll(/`(\w+)/g)].map(([, name]) => name));
    expect(listed.filter((name) => name !== 'then' && name !== 'else').sort()).toEqual([...partlyEnforced].sort());
  });

  test.each([...Object.entries(grammarLimits), ...Object.entries(rawGrammarLimits)])(
    'lists the limit %s',
    (name, value) => {
      expect(page).toContain(`| \`${name}\` | ${value} |`);
    },
  );
});
