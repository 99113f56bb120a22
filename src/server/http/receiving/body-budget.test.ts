import { expect, test } from 'vitest';
import { createBodyBudget } from './body-budget.ts';

test('all requests share the budget; a request that ends gives its part back once', () => {
  const budget = createBodyBudget(100);
  const [first, second] = [budget.open(), budget.open()];
  first.take(60);
  second.take(40);
  expect(() => second.take(1)).toThrow(expect.objectContaining({ code: 'busy', retryAfterSeconds: 2 }));
  first.release();
  first.release();
  second.take(60);
  expect(() => second.take(1)).toThrow('please try again');
});

test('a request that has ended takes nothing more', () => {
  const budget = createBodyBudget(10);
  const ended = budget.open();
  ended.release();
  ended.take(10);
  expect(() => budget.open().take(10)).not.toThrow();
});
