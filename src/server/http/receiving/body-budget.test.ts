import { expect, test } from 'vitest';
import { budgetForBody, createBodyBudget } from './body-budget.ts';

test('all requests share the budget; a request that ends gives its part back once', () => {
  const budget = createBodyBudget(100);
  const [first, second] = [budget.open('a'), budget.open('b')];
  first.take(60);
  second.take(30);
  expect(() => second.take(1)).toThrow(expect.objectContaining({ code: 'busy', retryAfterSeconds: 2 }));
  expect(() => second.take(1)).toThrow('the bodies of running requests have reached');
  first.release();
  first.release();
  second.take(45);
  const third = budget.open('c');
  third.take(18);
  expect(() => third.take(1)).toThrow('the bodies of running requests have reached');
});

test('the requests of one caller use at most three quarters; the rest is for others', () => {
  const budget = createBodyBudget(100);
  const [first, second, other] = [budget.open('a'), budget.open('a'), budget.open('b')];
  first.take(50);
  second.take(25);
  expect(() => second.take(1)).toThrow(expect.objectContaining({ code: 'busy', retryAfterSeconds: 2 }));
  expect(() => second.take(1)).toThrow('the bodies of your running requests have reached');
  other.take(18);
  first.release();
  second.take(36);
});

test('callers that take all they can leave a part for the next one', () => {
  const budget = createBodyBudget(1000);
  for (const caller of ['a', 'b', 'c']) {
    const share = budget.open(caller);
    try {
      for (;;) share.take(1);
    } catch {}
  }
  budget.open('d').take(10);
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
