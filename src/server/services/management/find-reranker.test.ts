import { afterAll, expect, test } from 'vitest';
import { createServiceFixture, rerankerContent } from '../../../../test/support/service-fixture.ts';
import { createReadModelCard } from '../models/model-card.ts';
import { findReranker } from './find-reranker.ts';

const fixture = createServiceFixture();
afterAll(() => fixture.remove());
const { store } = fixture;
const find = () => findReranker(store, createReadModelCard({ ...fixture.createServices(), store }));

test('the only reranker of a store is found, and the request must choose between several', async () => {
  await fixture.putModel('plain');
  await expect(find()).rejects.toThrow('model is required: there is no reranker in the store');
  await fixture.putModel('one', rerankerContent('bert'));
  expect(await find()).toBe('one:latest');
  for (const name of ['two', 'three', 'four', 'five', 'six']) await fixture.putModel(name, rerankerContent('bert'));
  await expect(find()).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(
      /^model is required: the store has several rerankers, such as (?:\w+:latest(?:, |$)){5}$/,
    ),
  });
});
