import { expect, test } from 'vitest';
import { findModels } from './model-picker.tsx';

const models = ['ember-thinks:latest', 'small-ember:1b', 'ember:latest', 'qwen:7b'].map((name) => ({ name }));
const find = (query: string) => findModels(models, query).map(({ name }) => name);

test('the model with the typed name comes first, then those that begin with it', () => {
  expect(find('ember')).toEqual(['ember:latest', 'ember-thinks:latest', 'small-ember:1b']);
  expect(find(' EMBER:latest ')[0]).toBe('ember:latest');
  expect(find('qwen')).toEqual(['qwen:7b']);
  expect(find('')).toEqual(models.map(({ name }) => name));
});
