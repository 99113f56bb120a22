import { describe, expect, test } from 'vitest';
import { fitLevel, jinjaThinkLevels, jinjaThinkSwitch } from './think-levels.ts';

describe('levels of a Jinja template', () => {
  test.each([
    ['that does not read them', '{{ messages[0].content }}{# reasoning_effort #}', undefined],
    [
      'that writes the level',
      '{% if reasoning_effort is not defined %}{% set reasoning_effort = "medium" %}{% endif %}{{ "Reasoning: " + reasoning_effort }}',
      { levels: ['low', 'medium', 'high'], isClosed: false },
    ],
    [
      'that compares it',
      "{% if reasoning_effort is defined and reasoning_effort == 'max' %}M{% elif reasoning_effort == 'high' %}H{% endif %}",
      { levels: ['high', 'max'], isClosed: false },
    ],
    [
      'that refuses others',
      "{% if reasoning_effort not in ['high', 'low', 'no_think'] %}{{ raise_exception('x: ' + reasoning_effort) }}{% endif %}",
      { levels: ['low', 'high'], isClosed: true },
    ],
    [
      'that has another name for it',
      "{% if thinking_effort not in ['low', 'high', 'max'] %}{{ raise_exception('x') }}{% endif %}",
      { levels: ['low', 'high', 'max'], isClosed: true },
    ],
    ['that only switches it off', "{% set reasoning = reasoning_effort != 'none' %}", undefined],
  ])('%s', (_, source, expected) => {
    expect(jinjaThinkLevels(source)).toEqual(expected);
  });

  test('a long text without an end takes linear time', () => {
    expect(jinjaThinkLevels('{% reasoning_effort '.repeat(20_000))).toBeUndefined();
    expect(jinjaThinkSwitch('{% reasoning_effort in ["'.repeat(20_000), false)).toBeUndefined();
  });
});

describe('the level that switches thinking', () => {
  test.each([
    [
      'Hunyuan 3 does not think without a level',
      "{% if not reasoning_effort is defined %}{% set reasoning_effort = 'no_think' %}{% elif reasoning_effort not in ['high', 'low', 'no_think'] %}{{ raise_exception('x') }}{% endif %}",
      'high',
      'no_think',
    ],
    [
      'Solar has levels with empty thinking',
      '{% set reasoning_effort = reasoning_effort if reasoning_effort is defined else "high" %}{% if reasoning_effort in ["low", "minimal"] %}{{ "<|begin|>assistant<|think|><|end|>" }}{% endif %}<|begin|>assistant<|think|>',
      undefined,
      'minimal',
    ],
    ['a name of no thinking', "{% set reasoning = reasoning_effort != 'none' %}", undefined, 'none'],
    ['no level', '{{ enable_thinking }}', undefined, undefined],
  ])('%s', (_, source, on, off) => {
    expect([jinjaThinkSwitch(source, true), jinjaThinkSwitch(source, false)]).toEqual([on, off]);
  });
});

test.each([
  ['max', ['low', 'medium', 'high'], false, 'high'],
  ['max', ['max'], false, 'max'],
  ['low', ['max'], false, 'low'],
  ['medium', ['low', 'high'], true, 'high'],
  ['minimal', ['low', 'high'], true, 'low'],
  ['deep', ['low', 'deep'], false, 'deep'],
])('%s of a model with %j, closed: %s', (level, levels, isClosed, expected) => {
  expect(fitLevel(level, { levels, isClosed })).toBe(expected);
});
