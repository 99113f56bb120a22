import { expect, test } from 'vitest';
import { nearestModel } from './nearest-model.ts';

const installed = ['ember:latest', 'ember-eyes:latest', 'gemma3:4b', 'qwen3-coder:30b', 'team/notes:v2'];

test.each([
  ['embr', 'ember'],
  ['Emebr', 'ember'],
  ['ember-eye', 'ember-eyes'],
  ['gema3', 'gemma3:4b'],
  ['team/note', 'team/notes:v2'],
])('%s means %s', (given, expected) => {
  expect(nearestModel(given, installed)).toBe(expected);
});

test.each(['ember', 'ember:q8_0', 'gemma2', 'gemma3:12b', 'qwen3', 'llama3.2', 'note'])(
  '%s is a name of its own',
  (given) => {
    expect(nearestModel(given, installed)).toBeUndefined();
  },
);
