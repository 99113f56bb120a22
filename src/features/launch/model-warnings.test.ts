import { expect, test } from 'vitest';
import { findWarnings } from './model-warnings.ts';

const program = { title: 'Agent', minContext: 64_000, needsTools: true };
const target = (context?: number) => ({ model: 'm', context });
const facts = (trained: number, ...capabilities: string[]) => ({
  capabilities,
  model_info: { 'general.architecture': 'llama', 'llama.context_length': trained },
});

test.each([64_000, 131_072, undefined])('a context of %s is not mentioned', (context) => {
  expect(findWarnings(program, target(context), facts(4096, 'tools'))).toEqual([]);
});

test('a short context of a model that supports a longer one: says how to get it', () => {
  expect(findWarnings(program, target(4096), facts(131_072, 'tools'))).toEqual([
    "the context of 'm' has 4096 tokens, Agent needs about 64000: start the server with HEARTH_CONTEXT_LENGTH=64000, or create a model with `PARAMETER num_ctx 64000`",
  ]);
  expect(findWarnings(program, target(4096), facts(32_768, 'tools'))[0]).toContain('HEARTH_CONTEXT_LENGTH=32768');
});

test.each([
  [
    'memory',
    'start the server with HEARTH_CONTEXT_LENGTH=64000 if the memory suffices, or choose a smaller model with --model',
  ],
  ['model', 'create a model with `PARAMETER num_ctx 64000`'],
  ['setting', 'start the server with HEARTH_CONTEXT_LENGTH=64000'],
] as const)('the advice for a context from %s', (contextSource, advice) => {
  const [warning] = findWarnings(program, target(4096), { ...facts(131_072, 'tools'), contextSource });
  expect(warning).toBe(`the context of 'm' has 4096 tokens, Agent needs about 64000: ${advice}`);
});

test('a model that supports no longer context', () => {
  const advice = /choose a model with a longer context with --model$/;
  expect(findWarnings(program, target(4096), facts(4096, 'tools'))).toEqual([expect.stringMatching(advice)]);
  expect(findWarnings(program, target(4096), { capabilities: ['tools'], model_info: {} })).toEqual([
    expect.stringMatching(advice),
  ]);
});

test('a model without tools, if the program needs them', () => {
  const warnings = findWarnings(program, target(64_000), facts(4096, 'completion'));
  expect(warnings).toEqual([expect.stringMatching(/^'m' does not support tools, which Agent needs/)]);
  expect(findWarnings({ ...program, needsTools: false }, target(64_000), facts(4096))).toEqual([]);
});

test('a program without keys is mentioned if the user has one', () => {
  const keyless = { ...program, sendsNoKey: true } as const;
  expect(findWarnings(keyless, target(), facts(4096, 'tools'))).toEqual([]);
  expect(findWarnings(keyless, { ...target(), key: 'k' }, facts(4096, 'tools'))).toEqual([
    'Agent sends no key, and a server that needs one refuses its requests',
  ]);
  expect(findWarnings(program, { ...target(), key: 'k' }, facts(4096, 'tools'))).toEqual([]);
});
