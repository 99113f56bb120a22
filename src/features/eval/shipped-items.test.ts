import { expect, it } from 'vitest';
import { compileSchema, passesCheck } from './check-answer.ts';
import { matchPattern } from './match-pattern.ts';
import { shippedItems } from './shipped-items.ts';

it('has 50 different items in each of six categories', () => {
  const counts = new Map<string, number>();
  for (const { category } of shippedItems) counts.set(category, (counts.get(category) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({
    facts: 50,
    arithmetic: 50,
    reading: 50,
    instructions: 50,
    'tool calls': 50,
    JSON: 50,
  });
  expect(new Set(shippedItems.map((item) => JSON.stringify(item))).size).toBe(300);
});

it('has choices that differ', () => {
  for (const item of shippedItems)
    if ('choices' in item) expect(new Set(item.choices).size, item.prompt).toBe(item.choices.length);
});

it('has checks that are valid, and calls that their tools allow', () => {
  for (const item of shippedItems) {
    if ('choices' in item) continue;
    const { check, tools = [] } = item;
    const empty = { text: '', calls: [] };
    // No answer passes only where no call is expected.
    expect(passesCheck(check, empty), item.prompt).toBe(check.call === null);
    // Some models repeat the question.
    expect(passesCheck(check, { ...empty, text: item.prompt }), item.prompt).toBe(check.call === null);
    for (const text of [check.exact ?? []].flat()) expect(passesCheck(check, { ...empty, text })).toBe(true);
    if (check.pattern !== undefined) matchPattern('', check.pattern, 'u');
    const { call } = check;
    if (call === undefined || call === null) continue;
    const tool = tools.find((each) => each.function?.name === call.name);
    expect(compileSchema(tool?.function?.parameters)(call.arguments), item.prompt).toBe(true);
  }
});

it('has sums that are right', () => {
  for (const item of shippedItems) {
    if (!('choices' in item) || !/^[\d\s+*/()-]+=$/.test(item.prompt)) continue;
    const value = matchArithmetic(item.prompt.slice(0, -1));
    expect(item.choices.map(Number).indexOf(value), item.prompt).toBe(item.answer);
  }
});

/** Only digits and operators reach it. */
function matchArithmetic(expression: string): number {
  return new Function(`return ${expression}`)() as number;
}
