import { afterAll, expect, test } from 'vitest';
import { createServiceFixture } from '../../../../test/support/service-fixture.ts';
import { listModelCards } from '../management/list-models.ts';
import { createReadModelCard } from './model-card.ts';

const fixture = createServiceFixture();
afterAll(() => fixture.remove());
const { store } = fixture;
const readCard = createReadModelCard(fixture.createServices());
const cardOf = async (name: string) =>
  (await listModelCards(store, readCard)).find((model) => model.name === `${name}:latest`)?.card;
const count = (value: number) => ({ type: 'u32', value }) as const;

test('lengths and capabilities come from the header and the template', async () => {
  const metadata = { 'llama.context_length': count(2048), 'llama.embedding_length': count(512) };
  await fixture.putModel('a', { metadata, template: '{{ .Tools }}{{ .Prompt }}{{ .Suffix }}' });
  expect(await cardOf('a')).toEqual({
    capabilities: ['completion', 'tools', 'insert'],
    contextLength: 2048,
    embeddingLength: 512,
  });
});

test('a projector is vision, a pooling type is embedding', async () => {
  await fixture.putModel('c', { vision: true });
  await fixture.putModel('d', { metadata: { 'llama.pooling_type': count(1) } });
  expect((await cardOf('c'))?.capabilities).toEqual(['completion', 'vision']);
  expect((await cardOf('d'))?.capabilities).toEqual(['embedding']);
});

test('a model that cannot be read is listed without a card', async () => {
  await fixture.putModel('e', { parameters: [] as never, template: '{{ if }}' });
  expect((await listModelCards(store, readCard)).some(({ name }) => name === 'e:latest')).toBe(true);
  expect(await cardOf('e')).toBeUndefined();
});
