import { expect, test } from 'vitest';
import type { OfferedModel } from '../../cli/models/ask-for-model.ts';
import type { PsResponseBody } from '../../server/dialects/ollama/status/ps-schema.ts';
import { rankModels } from './rank-models.ts';

const listed = (name: string, ...capabilities: string[]): OfferedModel =>
  ({ name, capabilities }) as unknown as OfferedModel;
const models = [
  listed('plain', 'completion'),
  listed('vectors', 'embedding'),
  listed('newer', 'completion', 'tools'),
  listed('older', 'completion', 'tools'),
  { name: 'unknown' } as OfferedModel,
];
const loaded = [{ name: 'older' }] as unknown as PsResponseBody['models'];
const rank = (needsTools: boolean): string[] => rankModels({ models, loaded }, { needsTools }).map(({ name }) => name);

test('models with tools come first, among them the loaded one; embedding models are left out', () => {
  expect(rank(true)).toEqual(['older', 'newer', 'unknown', 'plain']);
});

test('without tools, the loaded model comes first and the rest keeps its order', () => {
  expect(rank(false)).toEqual(['older', 'plain', 'newer', 'unknown']);
});
