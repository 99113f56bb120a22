import { describe, expect, test } from 'vitest';
import type { EngineContext } from '../../llama/context.ts';
import type { PlacedImage } from '../../vision/image-positions.ts';
import { createSequence, type Sequence } from '../sequence/sequence.ts';
import { toAnswerPiece } from '../text/answer-pieces.ts';
import { PrefixCache } from './prefix-cache.ts';
import { Slots, type SlotsOptions } from './slots.ts';

/** A KV cache without content. It records the calls and the number of tokens of each sequence. */
function fakeContext() {
  const held = new Map<number, number>();
  const calls: string[] = [];
  const context: EngineContext = {
    pointer: 0n as EngineContext['pointer'],
    memory: 'attention',
    canShift: true,
    rollback: Number.POSITIVE_INFINITY,
    decode: () => 'done',
    decodeEmbeddings: () => 'done',
    wait: () => {},
    logits: () => new Float32Array(),
    forget(sequence, from) {
      held.set(sequence, from);
      return true;
    },
    shift: () => {},
    snapshotBytes: () => 10,
    snapshot(sequence) {
      calls.push(`snapshot ${sequence}`);
      return Buffer.alloc(10);
    },
    restore(sequence) {
      calls.push(`restore ${sequence}`);
      return true;
    },
    copying: false,
    copiesOnDevice: false,
    canCut: () => true,
    canAccessState: true,
    copy(from, to) {
      calls.push(`copy ${from} to ${to}`);
      return true;
    },
    snapshotState: () => Buffer.alloc(1),
    stateBytes: () => 1,
    restoreState: () => true,
  };
  return { context, calls, held };
}

const tokensFrom = (start: number, length: number): number[] => Array.from({ length }, (_, index) => start + index);

let lastId = 0;
function sequenceOf(
  tokens: readonly number[],
  images: readonly PlacedImage[] = [],
  named: { readonly partition?: string; readonly client?: string; readonly session?: string } = {},
): Sequence {
  const command = { type: 'generate' as const, id: ++lastId, wantContext: false, partition: '', ...named };
  return createSequence(command as Parameters<typeof createSequence>[0], {
    adapters: { key: '', scales: [] },
    tokens: [...tokens],
    images,
    releaseImages: () => {},
    droppedTokens: 0,
    keep: 4,
    budget: 10,
    sampler: { observe: () => {}, prepare: () => undefined, sample: () => 0, free: () => {} },
    seeded: false,
    pieceOf: () => toAnswerPiece(Buffer.alloc(0)),
    text: { canStop: false, stopSequence: undefined, push: () => '', force: () => '', finish: () => '' },
    guard: { exceeds: () => false },
    logprobs: undefined,
    drafters: undefined,
  });
}

function setUp(options: Partial<SlotsOptions> = {}) {
  const { context, calls, held } = fakeContext();
  const prefixCache = new PrefixCache({ capacityBytes: 4000, cutsAnywhere: true });
  const usual = { count: 4, sharesPrefixes: true, hasDeviceMemory: false, isControl: () => false };
  const slots = new Slots({ context, prefixCache, ...usual, ...options });
  return { slots, calls, held };
}

/** As if its entire prompt had been evaluated, and the first token chosen. */
function evaluate(sequence: Sequence): void {
  sequence.evaluated = sequence.promptLength;
  sequence.generated = 1;
}

describe('reuse of evaluated tokens', () => {
  test('from a live sequence', () => {
    const { slots, calls, held } = setUp();
    const first = sequenceOf(tokensFrom(0, 200));
    slots.admit(first);
    evaluate(first);
    const second = sequenceOf([...tokensFrom(0, 150), ...tokensFrom(900, 50)]);
    slots.admit(second);
    expect(calls).toEqual(['copy 0 to 1']);
    expect(held.get(1)).toBe(150);
    expect(second).toMatchObject({ evaluated: 150, reused: 150, following: undefined });
  });

  test('from a finished one, through the prefix cache', () => {
    const { slots, calls } = setUp();
    const first = sequenceOf(tokensFrom(0, 100));
    slots.admit(first);
    evaluate(first);
    slots.release(first);
    const second = sequenceOf([...tokensFrom(0, 100), 7]);
    slots.admit(second);
    expect(calls).toEqual(['snapshot 0', 'restore 0']);
    expect(second.reused).toBe(100);
  });

  test('never of the last token of a prompt: its logits are needed', () => {
    const { slots } = setUp();
    const first = sequenceOf(tokensFrom(0, 100));
    slots.admit(first);
    evaluate(first);
    const second = sequenceOf(tokensFrom(0, 100));
    slots.admit(second);
    expect(second.evaluated).toBe(99);
  });

  test('not of tokens after a context shift: they depend on removed tokens', () => {
    const { slots } = setUp();
    const first = sequenceOf(tokensFrom(0, 200));
    slots.admit(first);
    evaluate(first);
    first.pure = 40;
    const second = sequenceOf(tokensFrom(0, 150));
    slots.admit(second);
    expect(second.evaluated).toBe(40);
  });

  test.each([
    [600, ['snapshot 0', 'restore 0']],
    [500, []],
  ])('of %d tokens, with a GPU that evaluates few tokens faster than it copies them', (length, expected) => {
    const { slots, calls } = setUp({ hasDeviceMemory: true });
    const first = sequenceOf(tokensFrom(0, length));
    slots.admit(first);
    evaluate(first);
    slots.release(first);
    slots.admit(sequenceOf(tokensFrom(0, length)));
    expect(calls).toEqual(expected);
  });

  test('of few tokens that another sequence evaluates now, not with such a GPU', () => {
    const { slots } = setUp({ hasDeviceMemory: true });
    slots.admit(sequenceOf(tokensFrom(0, 200)));
    const second = sequenceOf(tokensFrom(0, 200));
    slots.admit(second);
    expect(second.following).toBeUndefined();
  });

  test.each([3, 4, 24])('of a short prompt too: %d tokens', (length) => {
    const { slots, calls } = setUp();
    const first = sequenceOf(tokensFrom(0, length));
    slots.admit(first);
    evaluate(first);
    slots.release(first);
    const second = sequenceOf(tokensFrom(0, length));
    slots.admit(second);
    expect(calls).toEqual(['snapshot 0', 'restore 0']);
    expect(second.reused).toBe(length - 1);
  });

  test('not of the first token alone, which all prompts share', () => {
    const { slots, calls } = setUp();
    const first = sequenceOf(tokensFrom(0, 1));
    slots.admit(first);
    evaluate(first);
    slots.admit(sequenceOf([...tokensFrom(0, 1), 7, 8]));
    slots.release(first);
    expect(calls).toEqual([]);
  });

  test.each([
    [96, 3],
    [97, 0],
  ])('of three tokens of a sequence with %d tokens: %d', (length, reused) => {
    const { slots } = setUp();
    const first = sequenceOf(tokensFrom(0, length));
    slots.admit(first);
    evaluate(first);
    const second = sequenceOf([...tokensFrom(0, 3), 1000, 1001]);
    slots.admit(second);
    expect(second.reused).toBe(reused);
  });

  test('not of a small part of a long sequence: the copy takes all of it', () => {
    const { slots, calls } = setUp();
    const first = sequenceOf(tokensFrom(0, 2000));
    slots.admit(first);
    evaluate(first);
    slots.admit(sequenceOf([...tokensFrom(0, 20), 7, 8]));
    expect(calls).toEqual([]);
  });

  test('not of a sequence in another partition, live or finished', () => {
    const { slots, calls } = setUp();
    const first = sequenceOf(tokensFrom(0, 200), [], { partition: 'a' });
    slots.admit(first);
    const second = sequenceOf(tokensFrom(0, 200), [], { partition: 'b' });
    slots.admit(second);
    expect(second.following).toBeUndefined();
    evaluate(first);
    slots.admit(sequenceOf(tokensFrom(0, 200), [], { partition: 'b' }));
    expect(calls).toEqual([]);
  });

  test('not at all if there is no prefix cache', () => {
    const { slots, calls } = setUp({ sharesPrefixes: false });
    const first = sequenceOf(tokensFrom(0, 200));
    slots.admit(first);
    evaluate(first);
    slots.release(first);
    slots.admit(sequenceOf(tokensFrom(0, 200)));
    expect(calls).toEqual([]);
  });
});

describe('images among the tokens', () => {
  // In models that number rows and columns, an image of 64 tokens may take 8 positions.
  const chunk = { offset: 0, count: 64, positions: 8, prepare: () => true, evaluate: () => 'done' as const };
  const imageOf = (content: number): PlacedImage => ({
    start: 40,
    image: { tokens: tokensFrom(-content, 64), chunks: [chunk] },
  });
  const withImage = (positioned: PlacedImage, end: number) =>
    sequenceOf([...tokensFrom(0, 40), ...positioned.image.tokens, ...tokensFrom(end, 20)], [positioned]);

  test('the same image is reused, up to its last position', () => {
    const { slots, held } = setUp();
    const first = withImage(imageOf(1000), 500);
    slots.admit(first);
    evaluate(first);
    const second = withImage(imageOf(1000), 600);
    slots.admit(second);
    expect(second.reused).toBe(104);
    expect(held.get(1)).toBe(48);
  });

  test('an image that only begins the same is not reused', () => {
    const { slots } = setUp();
    const first = withImage(imageOf(1000), 500);
    slots.admit(first);
    evaluate(first);
    const other = imageOf(1000);
    const tokens = other.image.tokens.map((token, index) => (index < 10 ? token : token - 5000));
    const second = withImage({ ...other, image: { ...other.image, tokens } }, 500);
    slots.admit(second);
    expect(second.reused).toBe(40);
  });
});

describe('several new sequences with a common prefix', () => {
  test('one evaluates it, the others wait and share', () => {
    const { slots, calls } = setUp();
    const [leader, a, b] = [1, 2, 3].map((end) => sequenceOf([...tokensFrom(0, 100), 1000 + end])) as [
      Sequence,
      Sequence,
      Sequence,
    ];
    for (const sequence of [leader, a, b]) slots.admit(sequence);
    expect([leader, a, b].map(({ following }) => following?.leader)).toEqual([undefined, leader, leader]);

    leader.evaluated = 64;
    slots.settleFollowers();
    expect(a.following).toBeDefined();
    leader.evaluated = 100;
    slots.settleFollowers();
    expect([a, b].map(({ following, reused }) => [following, reused])).toEqual([
      [undefined, 100],
      [undefined, 100],
    ]);
    expect(calls).toEqual(['snapshot 0', 'restore 1', 'restore 2']);
  });

  test('also if the prompt is short, but not if only a little of a long prompt is the same', () => {
    const { slots } = setUp();
    const [short, same] = [tokensFrom(0, 24), tokensFrom(0, 24)].map((tokens) => sequenceOf(tokens)) as [
      Sequence,
      Sequence,
    ];
    const long = sequenceOf(tokensFrom(1000, 500));
    const alike = sequenceOf([...tokensFrom(1000, 20), 7]);
    for (const sequence of [short, same, long, alike]) slots.admit(sequence);
    expect(same.following).toEqual({ leader: short, length: 23 });
    expect(alike.following).toBeUndefined();
  });

  test('if the leader ends, another one becomes the leader', () => {
    const { slots } = setUp();
    const [leader, a, b] = [1, 2, 3].map((end) => sequenceOf([...tokensFrom(0, 100), 1000 + end])) as [
      Sequence,
      Sequence,
      Sequence,
    ];
    for (const sequence of [leader, a, b]) slots.admit(sequence);
    slots.release(leader);
    slots.settleFollowers();
    const waiting = [a, b].filter(({ following }) => following !== undefined);
    expect(waiting).toHaveLength(1);
    expect(waiting[0]?.following?.leader.following).toBeUndefined();
  });

  test('the tokens that a leader evaluated before its end are reused', () => {
    const { slots, calls } = setUp();
    const leader = sequenceOf([...tokensFrom(0, 100), 1001]);
    const follower = sequenceOf([...tokensFrom(0, 100), 1002]);
    slots.admit(leader);
    slots.admit(follower);
    leader.evaluated = 80;
    slots.release(leader);
    slots.settleFollowers();
    expect(calls).toEqual(['snapshot 0', 'restore 0']);
    expect(follower.reused).toBe(80);
  });
});

describe('slots', () => {
  test('have no gaps: the last sequence moves to the freed slot with its evaluated tokens', () => {
    const { slots, calls } = setUp();
    const sequences = [1, 2, 3, 4].map((start) => sequenceOf(tokensFrom(start * 1000, 10)));
    for (const sequence of sequences) slots.admit(sequence);
    expect(sequences.map(({ slot }) => slot)).toEqual([0, 1, 2, 3]);
    expect(slots.free).toBe(0);
    const [a, b, c, d] = sequences as [Sequence, Sequence, Sequence, Sequence];
    d.evaluated = 5;
    slots.release(b);
    expect(calls).toEqual(['copy 3 to 1']);
    expect(slots.live).toEqual([a, d, c]);
    expect([a, b, c, d].map(({ slot }) => slot)).toEqual([0, undefined, 2, 1]);
    expect(slots.free).toBe(1);
  });

  test('the last sequence leaves without a move', () => {
    const { slots, calls } = setUp();
    const sequence = sequenceOf(tokensFrom(0, 10));
    slots.admit(sequence);
    slots.release(sequence);
    expect(slots.live).toEqual([]);
    expect(calls).toEqual([]);
  });
});

describe('on a GPU', () => {
  const setUpDevice = (count: number) => {
    const fake = fakeContext();
    const context = { ...fake.context, copiesOnDevice: true };
    const { calls } = fake;
    const prefixCache = new PrefixCache({ capacityBytes: 4000, cutsAnywhere: true });
    const usual = { sharesPrefixes: true, hasDeviceMemory: true, isControl: () => false };
    return { slots: new Slots({ context, prefixCache, count, ...usual }), calls, prefixCache, held: fake.held };
  };
  /** A sequence that was admitted and evaluated. */
  const run = (slots: Slots, tokens: readonly number[], named: Parameters<typeof sequenceOf>[2] = {}): Sequence => {
    const sequence = sequenceOf(tokens, [], named);
    slots.admit(sequence);
    evaluate(sequence);
    return sequence;
  };

  test('the next turn continues in the slot of the turn before, without a copy', () => {
    const { slots, calls, held } = setUpDevice(4);
    slots.release(run(slots, tokensFrom(0, 200)));
    const next = sequenceOf(tokensFrom(0, 300));
    slots.admit(next);
    expect(next).toMatchObject({ slot: 0, evaluated: 200, reused: 200 });
    expect(held.get(0)).toBe(200);
    expect(calls).toEqual([]);
  });

  test('another sequence gets the prefix of a live one within the GPU', () => {
    const { slots, calls } = setUpDevice(4);
    run(slots, tokensFrom(0, 200));
    expect(run(slots, [...tokensFrom(0, 150), ...tokensFrom(900, 50)]).reused).toBe(150);
    expect(calls).toEqual(['copy 0 to 1']);
  });

  test('few tokens are evaluated again', () => {
    const { slots } = setUpDevice(4);
    run(slots, tokensFrom(0, 63));
    expect(run(slots, [...tokensFrom(0, 63), 900]).reused).toBe(0);
  });

  test('a sequence that ends among others is kept in a free slot before the last one moves into its slot', () => {
    const { slots, calls } = setUpDevice(4);
    const sequences = [0, 1000, 2000].map((start) => run(slots, tokensFrom(start, 600)));
    slots.release(sequences[0] as Sequence);
    expect(calls).toEqual(['copy 0 to 3', 'copy 2 to 0']);
    const next = run(slots, [...tokensFrom(0, 600), 7]);
    expect(calls.slice(2)).toEqual(['copy 3 to 2']);
    expect(next).toMatchObject({ slot: 2, reused: 600 });
  });

  test('a short one is not: most answers are never continued', () => {
    const { slots, calls } = setUpDevice(4);
    const sequences = [0, 1000, 2000].map((start) => run(slots, tokensFrom(start, 200)));
    slots.release(sequences[0] as Sequence);
    slots.release(sequences[1] as Sequence);
    expect(calls).toEqual(['copy 2 to 0']);
    run(slots, tokensFrom(5000, 70));
    expect(calls).toEqual(['copy 2 to 0']);
  });

  test('what a slot keeps moves to the last slot that keeps less, if a sequence needs it', () => {
    const { slots, calls } = setUpDevice(3);
    slots.release(run(slots, tokensFrom(0, 600)));
    run(slots, tokensFrom(5000, 70));
    run(slots, tokensFrom(6000, 70));
    expect(calls).toEqual(['copy 0 to 2']);
    expect(run(slots, [...tokensFrom(0, 600), 7])).toMatchObject({ slot: 2, reused: 600 });
    expect(calls).toEqual(['copy 0 to 2']);
  });

  test('the least valuable cells go first', () => {
    const { slots } = setUpDevice(2);
    const [long, short] = [run(slots, tokensFrom(0, 900)), run(slots, tokensFrom(1000, 80))];
    slots.release(short);
    slots.release(long);
    // In slot 0, where the long one is. It takes the slot of the short one.
    slots.release(run(slots, tokensFrom(2000, 10)));
    expect(run(slots, [...tokensFrom(1000, 80), 7]).reused).toBe(0);
    expect(run(slots, [...tokensFrom(0, 900), 7]).reused).toBe(900);
  });

  describe('named conversations', () => {
    const common = tokensFrom(0, 600);
    /** A branch of a conversation with a common beginning. */
    const branch = (start: number): number[] => [...common, ...tokensFrom(start, 100)];

    test('of prefixes that are as good, that of the same conversation is continued', () => {
      const { slots, calls } = setUpDevice(4);
      const [a, b] = ['a', 'b'].map((session, index) => run(slots, branch(1000 * (index + 1)), { session }));
      slots.release(b as Sequence);
      slots.release(a as Sequence);
      calls.length = 0;
      // Without a name, what the slot 0 keeps needs no copy.
      const other = run(slots, branch(5000), { session: 'b' });
      expect(other).toMatchObject({ slot: 0, reused: 600 });
      expect(calls).toEqual(['copy 0 to 3', 'copy 1 to 0']);
      expect(run(slots, [...branch(1000), 7], { session: 'a' }).reused).toBe(700);
    });

    const fill = (named: boolean, cause: string) => {
      const { slots } = setUpDevice(2);
      const sequences = [
        run(slots, tokensFrom(0, 900), { client: 'me' }),
        run(slots, tokensFrom(1000, 600), { client: 'me', ...(named ? { session: 'a' } : {}) }),
      ];
      for (const sequence of sequences.reverse()) slots.release(sequence);
      // Takes the slot 0, and what it keeps takes that of what is worth least.
      slots.release(run(slots, tokensFrom(3000, 520), { client: cause }));
      return run(slots, [...tokensFrom(1000, 600), 7], { client: 'me' }).reused;
    };

    test.each([
      [false, 'me', 0],
      [true, 'me', 600],
      [true, 'another', 0],
    ])('cells of a conversation with a name (%s) that %s displaces: %d are left', (named, cause, left) => {
      expect(fill(named, cause)).toBe(left);
    });
  });

  test('the beginning of a kept sequence is shared, and the sequence stays', () => {
    const { slots } = setUpDevice(3);
    slots.release(run(slots, tokensFrom(0, 400)));
    expect(run(slots, [...tokensFrom(0, 100), 7])).toMatchObject({ slot: 0, reused: 100 });
    expect(run(slots, [...tokensFrom(0, 400), 7]).reused).toBe(400);
  });

  test('followers of one prompt copy it within the GPU', () => {
    const { slots, calls } = setUpDevice(4);
    const [leader, a, b] = [1, 2, 3].map((end) => sequenceOf([...tokensFrom(0, 100), 1000 + end])) as [
      Sequence,
      Sequence,
      Sequence,
    ];
    for (const sequence of [leader, a, b]) slots.admit(sequence);
    leader.evaluated = 100;
    slots.settleFollowers();
    expect(calls).toEqual(['copy 0 to 1', 'copy 0 to 2']);
    expect([a, b].map(({ evaluated }) => evaluated)).toEqual([100, 100]);
  });

  test('nothing goes to main memory until the model rests, then one sequence at a time', () => {
    const { slots, calls, prefixCache } = setUpDevice(4);
    const sequences = [0, 1000].map((start) => run(slots, tokensFrom(start, 100)));
    for (const sequence of sequences.reverse()) slots.release(sequence);
    expect([calls, prefixCache.kept]).toEqual([[], 0]);
    expect([slots.spill(), slots.spill(), slots.spill()]).toEqual([true, true, false]);
    expect(calls).toEqual(['snapshot 1', 'snapshot 0']);
    run(slots, tokensFrom(5000, 10));
    expect(slots.spill()).toBe(false);
  });

  test('partitions share nothing', () => {
    const { slots } = setUpDevice(4);
    const first = sequenceOf(tokensFrom(0, 200), [], { partition: 'a' });
    slots.admit(first);
    evaluate(first);
    slots.release(first);
    const second = sequenceOf(tokensFrom(0, 200), [], { partition: 'b' });
    slots.admit(second);
    expect(second.reused).toBe(0);
  });
});

describe('a paused sequence', () => {
  test('continues with its own cells, which others can use in the meantime', () => {
    const { slots, calls } = setUp();
    const paused = sequenceOf(tokensFrom(0, 100));
    slots.admit(paused);
    evaluate(paused);
    slots.pause(paused);
    expect(paused.slot).toBeUndefined();
    const other = sequenceOf([...tokensFrom(0, 80), 7]);
    slots.admit(other);
    expect(other.reused).toBe(80);
    slots.admit(paused);
    expect(paused).toMatchObject({ slot: 1, evaluated: 100 });
    expect(calls).toEqual(['snapshot 0', 'restore 0', 'restore 1']);
  });

  test('does not share cells after a context shift, but continues with them', () => {
    const { slots } = setUp();
    const paused = sequenceOf(tokensFrom(0, 100));
    slots.admit(paused);
    evaluate(paused);
    paused.pure = 40;
    slots.pause(paused);
    const other = sequenceOf([...tokensFrom(0, 80), 7]);
    slots.admit(other);
    expect(other.reused).toBe(40);
    slots.admit(paused);
    expect(paused.evaluated).toBe(100);
  });

  test('continues without a prefix cache', () => {
    const { slots, calls } = setUp({ sharesPrefixes: false });
    const paused = sequenceOf(tokensFrom(0, 100));
    slots.admit(paused);
    evaluate(paused);
    slots.pause(paused);
    slots.admit(paused);
    expect(paused.evaluated).toBe(100);
    expect(calls).toEqual(['snapshot 0', 'restore 0']);
  });

  test('leaves nothing behind if it ends', () => {
    const { slots } = setUp();
    const paused = sequenceOf(tokensFrom(0, 100));
    slots.admit(paused);
    evaluate(paused);
    slots.pause(paused);
    slots.release(paused);
    const other = sequenceOf(tokensFrom(0, 100));
    slots.admit(other);
    expect(other.reused).toBe(0);
  });
});
