import { expect, test } from 'vitest';
import { parseRequestedModel } from '../../../models/name.ts';
import { checkThink, resolveThink } from './thinking.ts';

const template = {
  thinkingTags: { open: '<think>', close: '</think>' },
  thinkLevels: { levels: ['low', 'deep'], isClosed: false },
};
type Template = Parameters<typeof resolveThink>[0];
const levels = template as unknown as Template;
const model = parseRequestedModel('m');

test.each(['low', 'max', 'deep', true, false])('%s is a value of think', (think) => {
  expect(() => checkThink({ think }, model, levels)).not.toThrow();
});

test('a level that neither the model nor other servers have is refused, with those that it has', () => {
  expect(() => checkThink({ think: 'deeper' }, model, levels)).toThrow(
    'invalid think value: "deeper" (must be "high", "medium", "low", "max", "deep", true, or false)',
  );
});

test('the level of the model is passed on', () => {
  expect(resolveThink(levels, 'deep')).toBe('deep');
  expect(resolveThink(levels, undefined)).toBe(true);
  expect(resolveThink({ ...levels, thinkingTags: undefined }, 'deep')).toBeUndefined();
});
