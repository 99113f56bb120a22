import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chooseChunk,
  limitLongParts,
  type Pass,
  type PlanMember,
  planDeviceStep,
  planStep,
  SharedChunk,
} from './plan-step.ts';

const base = { following: false, imageNext: false, skipped: 0, adapters: '' };
const generating = (id: number): PlanMember => ({ ...base, id, left: 1, generating: true });
const prompting = (id: number, left: number, extra: Partial<PlanMember> = {}): PlanMember => ({
  ...base,
  id,
  left,
  generating: false,
  ...extra,
});

const passesOf = (members: readonly PlanMember[], chunk: number): readonly Pass[] => planStep(members, chunk).passes;

describe('planStep', () => {
  test('a step begins with the adapters of the last pass', () => {
    const members = [generating(1), { ...generating(2), adapters: 'a' }, { ...generating(3), adapters: 'b' }];
    const order = (adapters: string) => planStep(members, 128, { adapters }).passes.map(([part]) => part?.id);
    expect(['', 'a', 'b', 'gone'].map(order)).toEqual([
      [1, 2, 3],
      [2, 1, 3],
      [3, 1, 2],
      [1, 2, 3],
    ]);
  });

  test('tokens whose logits are reported share the limit of a step; those before them do not count', () => {
    const members = [prompting(1, 30, { scoredFrom: 20 }), prompting(2, 40, { scoredFrom: 0 }), prompting(3, 50)];
    const first = [
      { id: 1, count: 30 },
      { id: 2, count: 6 },
      { id: 3, count: 50 },
    ];
    expect(planDeviceStep(members, 512, { turn: 'prompts', maxScored: 16 }).passes).toEqual([first]);
    expect(planStep([prompting(1, 1000, { scoredFrom: 100 })], 512, { maxScored: 64 }).passes).toEqual([
      [{ id: 1, count: 164 }],
    ]);
    expect(planStep([prompting(1, 1000)], 512, { maxScored: 64 }).passes).toEqual([[{ id: 1, count: 512 }]]);
  });

  test('a pass has sequences with the same adapters', () => {
    const members = [
      generating(1),
      { ...generating(2), adapters: 'a' },
      prompting(3, 10, { adapters: 'a' }),
      generating(4),
    ];
    expect(passesOf(members, 128)).toEqual([
      [
        { id: 1, count: 1 },
        { id: 4, count: 1 },
      ],
      [
        { id: 2, count: 1 },
        { id: 3, count: 10 },
      ],
    ]);
  });

  test('every generating sequence gets a token, in one pass and before any long prompt', () => {
    expect(passesOf([generating(1), prompting(2, 1000), generating(3)], 128)).toEqual([
      [
        { id: 1, count: 1 },
        { id: 3, count: 1 },
      ],
      [{ id: 2, count: 128 }],
    ]);
  });

  test('short prompts share that pass, in slot order', () => {
    expect(passesOf([prompting(1, 20), generating(2), prompting(3, 5)], 128)).toEqual([
      [
        { id: 1, count: 20 },
        { id: 2, count: 1 },
        { id: 3, count: 5 },
      ],
    ]);
  });

  test('short prompts that wait together share a pass with the streams, long ones get a small part', () => {
    const short = Array.from({ length: 20 }, (_, index) => prompting(index + 2, 16));
    const planned = passesOf([generating(1), ...short, prompting(22, 1000)], 512);
    expect(planned).toEqual([[{ id: 1, count: 1 }, ...short.map(({ id }) => ({ id, count: 16 }))]]);
    expect(passesOf([generating(1), prompting(2, 1000), prompting(3, 16)], 512)).toEqual([
      [
        { id: 1, count: 1 },
        { id: 3, count: 16 },
      ],
      [{ id: 2, count: 112 }],
    ]);
    expect(passesOf([prompting(1, 1000), prompting(2, 16)], 512)).toEqual([
      [{ id: 2, count: 16 }],
      [{ id: 1, count: 496 }],
    ]);
  });

  test('a prompt that was skipped too often leaves room for short ones, not for a second long one', () => {
    const long = (id: number) => prompting(id, 1000, { skipped: 8 });
    expect(passesOf([generating(1), long(2), long(3), prompting(4, 16)], 512)).toEqual([
      [
        { id: 1, count: 1 },
        { id: 4, count: 16 },
      ],
      [{ id: 2, count: 128 }],
    ]);
  });

  test('a long prompt is cut into parts, each in a pass of its own', () => {
    expect(passesOf([prompting(1, 1000), prompting(2, 70)], 256)).toEqual([
      [{ id: 2, count: 70 }],
      [{ id: 1, count: 186 }],
    ]);
  });

  test('the shortest prompt goes first, as long as there is room', () => {
    expect(passesOf([prompting(1, 1000), prompting(2, 20), prompting(3, 30)], 256)).toEqual([
      [
        { id: 2, count: 20 },
        { id: 3, count: 30 },
      ],
      [{ id: 1, count: 206 }],
    ]);
  });

  test('a small rest of the room is not used for a part of a long prompt', () => {
    expect(passesOf([prompting(1, 1000), prompting(2, 100)], 128)).toEqual([[{ id: 2, count: 100 }]]);
  });

  test('a short rest of a long prompt is not left over', () => {
    const partsOf = (left: number, chunk: number): number[] => {
      const [count = left] = passesOf([prompting(1, left)], chunk)
        .flat()
        .map((part) => part.count);
      return count === left ? [count] : [count, ...partsOf(left - count, chunk)];
    };
    expect(partsOf(311, 128)).toEqual([128, 119, 64]);
    expect(partsOf(320, 128)).toEqual([128, 128, 64]);
    expect(partsOf(129, 100)).toEqual([65, 64]);
    // A few tokens cost little.
    expect(partsOf(528, 512)).toEqual([512, 16]);
    expect(partsOf(529, 512)).toEqual([465, 64]);
    // Two parts of less than 128 tokens cannot both be long.
    expect(partsOf(100, 64)).toEqual([64, 36]);
  });

  test('a prompt waits if the rest of the room would leave a short rest', () => {
    expect(passesOf([prompting(1, 50), prompting(2, 100)], 128)).toEqual([[{ id: 1, count: 50 }]]);
    expect(passesOf([prompting(1, 50), prompting(2, 130)], 128)).toEqual([
      [{ id: 1, count: 50 }],
      [{ id: 2, count: 66 }],
    ]);
    expect(passesOf([prompting(1, 50), prompting(2, 150)], 128)).toEqual([
      [{ id: 1, count: 50 }],
      [{ id: 2, count: 78 }],
    ]);
  });

  test('a small batch takes small parts', () => {
    expect(passesOf([prompting(1, 1000)], 16)).toEqual([[{ id: 1, count: 16 }]]);
  });

  test('a prompt that was skipped too often goes first', () => {
    expect(passesOf([prompting(1, 1000, { skipped: 8 }), prompting(2, 20)], 128)).toEqual([[{ id: 1, count: 128 }]]);
  });

  test('a prompt that follows another one is not evaluated', () => {
    expect(passesOf([prompting(1, 10, { following: true })], 128)).toEqual([]);
  });

  test('one image per step: that of the sequence that has waited longest', () => {
    const encoding = (id: number, extra: Partial<PlanMember> = {}) => prompting(id, 0, { imageNext: true, ...extra });
    const plan = planStep([encoding(1), generating(2), encoding(3, { skipped: 2 }), encoding(4, { skipped: 1 })], 128);
    expect(plan).toEqual({ passes: [[{ id: 2, count: 1 }]], images: [3] });
    expect(planStep([encoding(1, { following: true })], 128).images).toEqual([]);
  });

  test('every plan keeps its limits, serves every stream and makes progress', () => {
    const member = fc.record({
      left: fc.integer({ min: 1, max: 500 }),
      generating: fc.boolean(),
      following: fc.boolean(),
      skipped: fc.nat({ max: 10 }),
    });
    fc.assert(
      fc.property(fc.array(member, { maxLength: 12 }), fc.integer({ min: 1, max: 512 }), (list, chunk) => {
        const members = list.map((entry, id) => ({
          id,
          imageNext: false,
          adapters: '',
          ...entry,
          left: entry.generating ? 1 : entry.left,
        }));
        const parts = passesOf(members, chunk).flat();
        const of = (id: number) => members[id] as PlanMember;
        expect(new Set(parts.map(({ id }) => id)).size).toBe(parts.length);
        for (const { id, count } of parts) expect(count).toBeLessThanOrEqual(of(id).left);
        const prompts = parts.filter(({ id }) => !of(id).generating);
        expect(prompts.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(chunk);
        expect(parts.length - prompts.length).toBe(members.filter(({ generating }) => generating).length);
        const ready = members.some(({ generating, following }) => !generating && !following);
        expect(prompts.length > 0).toBe(ready);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('chooseChunk', () => {
  test.each([
    ['alone on a fast machine: a full batch', 5000, false, 512, 512],
    ['alone on a slow machine: what fits into a second', 300, false, 512, 256],
    ['alone on a very slow machine: the minimum', 10, false, 512, 128],
    ['with others on a fast machine: a full batch', 5000, true, 512, 512],
    ['with others: what fits into half a second', 600, true, 512, 256],
    ['with others on a slow machine: smaller parts', 100, true, 512, 64],
    ['never more than num_batch', 5000, false, 32, 32],
    ['never more than num_batch with others', 5000, true, 8, 8],
  ])('%s', (_, tokensPerSecond, othersGenerate, numBatch, expected) => {
    expect(chooseChunk({ tokensPerSecond, othersGenerate, numBatch })).toBe(expected);
  });
});

test('long parts get less while others generate', () => {
  expect([limitLongParts(512, false), limitLongParts(512, true), limitLongParts(64, true)]).toEqual([512, 128, 64]);
});

describe('planDeviceStep', () => {
  const prompts = { adapters: '', turn: 'prompts' } as const;
  const tokens = { adapters: '', turn: 'tokens' } as const;

  test('prompts of all lengths share a pass, in slot order, and take turns with the tokens of others', () => {
    const members = [prompting(1, 300), generating(2), prompting(3, 5), generating(4), prompting(5, 70)];
    expect(planDeviceStep(members, 512, prompts).passes).toEqual([
      [
        { id: 1, count: 300 },
        { id: 3, count: 5 },
        { id: 5, count: 70 },
      ],
    ]);
    expect(planDeviceStep(members, 512, tokens).passes).toEqual([
      [
        { id: 2, count: 1 },
        { id: 4, count: 1 },
      ],
    ]);
  });

  test('without one of them, there are no turns', () => {
    expect(planDeviceStep([prompting(1, 30)], 512, tokens).passes).toEqual([[{ id: 1, count: 30 }]]);
    const others = [generating(1), prompting(2, 30, { following: true })];
    expect(planDeviceStep(others, 512, prompts).passes).toEqual([[{ id: 1, count: 1 }]]);
  });

  test('the shortest prompts come first, and a long one gets the rest', () => {
    const members = [prompting(1, 8000), generating(2), prompting(3, 100)];
    expect(planDeviceStep(members, 512, prompts).passes).toEqual([
      [
        { id: 1, count: 412 },
        { id: 3, count: 100 },
      ],
    ]);
  });

  test('a long prompt is not passed over forever', () => {
    const members = [prompting(1, 8000, { skipped: 8 }), prompting(2, 512)];
    expect(planDeviceStep(members, 512, prompts).passes).toEqual([[{ id: 1, count: 512 }]]);
  });

  test('a pass has sequences with the same adapters', () => {
    const members = [generating(1), { ...generating(2), adapters: 'a' }];
    const { passes } = planDeviceStep(members, 512, { ...tokens, adapters: 'a' });
    expect(passes).toEqual([[{ id: 2, count: 1 }], [{ id: 1, count: 1 }]]);
  });
});

test('the prompt tokens that share a pass become fewer if it takes long, and more if it does not', () => {
  const chunk = new SharedChunk(512);
  const milliseconds = (count: number): number => count * 1e6;
  const after = (tokens: number, time: number): number => {
    chunk.observe(tokens, milliseconds(time));
    return chunk.tokens;
  };
  expect([after(512, 65), after(512, 75), after(256, 40), after(256, 30)]).toEqual([512, 256, 256, 512]);
  expect([after(512, 30), after(16, 200), after(16, 20), after(256, 20)]).toEqual([512, 256, 256, 512]);
  for (let pass = 0; pass < 10; pass++) after(64, 200);
  expect(chunk.tokens).toBe(64);
});
