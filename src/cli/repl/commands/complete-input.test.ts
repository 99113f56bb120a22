import { expect, test } from 'vitest';
import { insertedText } from '../input/completion.ts';
import { completeInput } from './complete-input.ts';

const models = async () => ['ember:latest', 'ember-eyes:latest', 'llama3.2:latest'];
const complete = async (before: string) => (await completeInput(before, models)).candidates;
const inserted = async (before: string) => insertedText(await completeInput(before, models));

test.each([
  ['/', ['/?', '/help', '/set', '/show', '/load', '/save', '/list', '/clear', '/bye', '/exit']],
  ['/s', ['/set', '/show', '/save']],
  ['/show t', ['template']],
  ['/set no', ['nohistory', 'nowordwrap', 'noformat', 'nothink']],
  ['/set parameter num_ct', ['num_ctx']],
  ['/set think h', ['high']],
  ['/load ember-', ['ember-eyes:latest']],
  ['/load  l', ['llama3.2:latest']],
  ['/? sh', ['show', 'shortcuts']],
  ['/nonsense ', []],
  ['/load ember ', []],
])('%j can become %j', async (before, candidates) => {
  expect(await complete(before)).toEqual(candidates);
});

test.each(['', 'Tell me', ' /s', 'a /s'])('%j is a message and is not completed', async (before) => {
  expect(await complete(before)).toEqual([]);
});

test('the only candidate is inserted with a space, several as far as they agree', async () => {
  expect(await inserted('/sh')).toBe('ow ');
  expect(await inserted('/load e')).toBe('mber');
  expect(await inserted('/load ember')).toBe('');
  expect(await inserted('/load llama3.2:latest')).toBe(' ');
  expect(await inserted('/x')).toBe('');
});

test('models are listed only where a model can stand', async () => {
  const fail = () => Promise.reject(new Error('called'));
  expect((await completeInput('/se', fail)).candidates).toEqual(['/set']);
});
