import { expect, test } from 'vitest';
import { createPenalties } from './penalties.ts';

const settings = { window: 4, repeat: 1, presence: 0, frequency: 0, exempt: () => false };

function apply(extra: Partial<typeof settings>, tokens: readonly number[], logits: readonly number[]): number[] {
  const penalties = createPenalties({ ...settings, ...extra });
  tokens.forEach(penalties.accept);
  const array = Float32Array.from(logits);
  penalties.apply(array);
  return [...array];
}

test('a repeated token becomes less likely, whatever the sign of its logit', () => {
  expect(apply({ repeat: 2 }, [0, 1], [4, -4, 4])).toEqual([2, -8, 4]);
});

test('presence counts once, frequency each time', () => {
  expect(apply({ presence: 1 }, [0, 0, 0], [5, 5])).toEqual([4, 5]);
  expect(apply({ frequency: 1 }, [0, 0, 0], [5, 5])).toEqual([2, 5]);
});

test('what lies further back than the window is forgotten', () => {
  expect(apply({ presence: 1 }, [0, 1, 1, 1, 1], [5, 5])).toEqual([5, 4]);
  expect(apply({ presence: 1, window: 0 }, [0, 1], [5, 5])).toEqual([5, 5]);
});

test('exempt tokens are left alone', () => {
  expect(apply({ presence: 1, exempt: (() => true) as () => boolean }, [0], [5])).toEqual([5]);
});

test('a token outside the vocabulary does no harm', () => {
  expect(apply({ presence: 1 }, [99], [5])).toEqual([5]);
});
