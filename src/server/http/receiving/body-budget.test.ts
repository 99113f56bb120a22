import { expect, test } from 'vitest';
import { budgetForBody, createBodyBudget } from './body-budget.ts';

test('all requests share the budget; a request that ends gives its part back once', () => {
  const budget = createBodyBudget(100);
  const [first, second] = [budget.open('a'), budget.open('b')];
  first.take(60);
  second.take(40);
  expect(() => second.take(1)).toThrow(expect.objectContaining({ code: 'busy', retryAfterSeconds: 2 }));
  first.release();
  first.release();
  second.take(35);
  const third = budget.open('c');
  third.take(25);
  expect(() => third.take(1)).toThrow('the bodies of running requests have reached');
});

test('the requests of one caller use at most three quarters; the rest is for others', () => {
  const budget = createBodyBudget(100);
  const [first, second, other] = [budget.open('a'), budget.open('a'), budget.open('b')];
  first.take(50);
  second.take(25);
  expect(() => second.take(1)).toThrow(expect.objectContaining({ code: 'busy', retryAfterSeconds: 2 }));
  expect(() => second.take(1)).toThrow('the bodies of your running requests have reached');
  other.take(25);
  first.release();
  second.take(50);
});

test('a request that has ended takes nothing more', () => {
  const budget = createBodyBudget(10);
  const ended = budget.open('a');
  ended.release();
  ended.take(7);
  expect(() => budget.open('a').take(7)).not.toThrow();
});

test('a budget for a body is large enough for one caller to send it', () => {
  for (const bytes of [1, 10, 64 * 2 ** 20, 1_000_001])
    expect(createBodyBudget(budgetForBody(bytes)).maxBytesPerCaller).toBeGreaterThanOrEqual(bytes);
});
