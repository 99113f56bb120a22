// The sampler over llama.cpp's own samplers and Ember's vocabulary. Only the logits are scripted.

import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../../test/support/fake-clock.ts';
import { createScriptedApi } from '../../../../../test/support/runner/scripted-api.ts';
import { type OptionValues, resolveOptions } from '../../../../models/options.ts';
import type { LlamaApi } from '../../llama/bindings/llama-api.ts';
import type { EngineContext } from '../../llama/context.ts';
import { findBackend } from '../../llama/find-backend.ts';
import { openBackend } from '../../llama/open-backend.ts';
import { createVocabulary, type Vocabulary } from '../../llama/vocabulary.ts';
import { toRequestSettings } from '../sequence/request-settings.ts';
import { createChoicesAhead } from './ahead/choice-pool.ts';
import { createCandidates } from './candidates.ts';
import type { SamplerSources } from './choices.ts';
import { createSampler, type Sampler, type SamplerConstraints } from './sampler.ts';
import { Thinking } from './thinking.ts';

const emberPath = fileURLToPath(new URL('../../../../../models/ember-q4_k_m.gguf', import.meta.url));

let native: LlamaApi;
let vocabulary: Vocabulary;
let sources: SamplerSources;
let clock: FakeClock;
/** The logits of row 0, for the next choice. */
let logits: Float32Array;

beforeAll(() => {
  native = openBackend(findBackend('cpu'));
  const model = native.modelLoad(emberPath, { ...native.modelDefaultParams(), vocab_only: true });
  if (model === null) throw new Error('Ember could not be loaded');
  vocabulary = createVocabulary(native, native.modelVocab(model));
});

beforeEach(() => {
  clock = createFakeClock();
  logits = new Float32Array(vocabulary.size);
  const context = { pointer: 0n, logits: () => logits } as unknown as EngineContext;
  const api = createScriptedApi(native, context, vocabulary.size);
  const candidates = createCandidates(native, vocabulary.size);
  sources = { api, context, vocabulary, candidates, choicesAhead: createChoicesAhead(), contextLength: 100, clock };
});

const neutral: OptionValues = { repeatPenalty: 1, temperature: 0 };

function samplerOf(options: OptionValues, constraints: SamplerConstraints = {}): Sampler {
  const { sampler } = toRequestSettings(resolveOptions({ ...neutral, ...options }).sample);
  return createSampler(sources, sampler, constraints);
}

/** Sets the logits: these tokens are likely, in this order, all others are not. */
function prefer(...tokens: readonly number[]): void {
  logits.fill(-10);
  tokens.forEach((token, index) => {
    logits[token] = 10 - index;
  });
}

const tokenOf = (text: string): number => vocabulary.tokenize(text, { addSpecial: false }).at(-1) as number;

/** Chooses `count` tokens by the same logits. */
function draw(sampler: Sampler, count: number): number[] {
  const original = logits.slice();
  return Array.from({ length: count }, () => {
    logits.set(original);
    return chooseWith(sampler);
  });
}

const chooseWith = (sampler: Sampler): number => sampler.sample(0) as number;

describe('temperature 0', () => {
  test('chooses the likeliest token', () => {
    prefer(40, 41, 42);
    expect(draw(samplerOf({}), 3)).toEqual([40, 40, 40]);
  });
});

describe('a seed', () => {
  const drawn = (seed: number): number[] => draw(samplerOf({ temperature: 1, topK: 0, topP: 1, seed }), 20);
  beforeEach(() => {
    logits.fill(0);
  });

  test('decides the choices', () => {
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
  });

  test('of -1 is random', () => {
    expect(drawn(-1)).not.toEqual(drawn(-1));
  });

  test('that llama.cpp reserves for "random" is a seed like others', () => {
    expect(drawn(0xffff_ffff)).toEqual(drawn(0xffff_ffff));
  });
});

describe('filters', () => {
  test.each([
    ['top_k', { topK: 2, topP: 1 }],
    ['top_p', { topK: 0, topP: 0.8 }],
    ['min_p', { topK: 0, topP: 1, minP: 0.3 }],
    ['tfs_z', { topK: 20, topP: 1, tfsZ: 0.9 }],
    ['top_n_sigma', { topK: 40, topP: 1, topNSigma: 4 }],
    ['top_n_sigma with tfs_z', { topK: 40, topP: 1, topNSigma: 5, tfsZ: 0.99 }],
  ])('%s keeps only the likeliest tokens', (_, options) => {
    prefer(40, 41, 42, 43, 44, 45);
    const drawn = new Set(draw(samplerOf({ temperature: 1, seed: 1, ...options }), 200));
    expect([...drawn].toSorted((a, b) => a - b)).toEqual([40, 41]);
  });

  test.each([1, 2])('mirostat %d chooses likely tokens, by its seed', (mirostat) => {
    prefer(40, 41, 42);
    const drawn = (): number[] => draw(samplerOf({ temperature: 1, seed: 3, mirostat }), 50);
    expect(drawn()).toEqual(drawn());
    expect(Math.max(...drawn())).toBeLessThanOrEqual(42);
  });
});

describe('XTC', () => {
  const drawn = (options: OptionValues): Set<number> =>
    new Set(draw(samplerOf({ temperature: 1, seed: 1, topP: 1, xtcThreshold: 0.2, ...options }), 100));

  test('removes the likeliest tokens, with its probability', () => {
    prefer(40, 41, 42);
    expect(drawn({ xtcProbability: 0 })).toContain(40);
    expect(drawn({ xtcProbability: 1 })).not.toContain(40);
    expect(drawn({ xtcProbability: 0.5 })).toContain(40);
    expect(drawn({ xtcProbability: 1, xtcThreshold: 0.6 })).toContain(40);
  });
});

test('a dynamic temperature is higher where the model is less certain', () => {
  const likeliest = (options: OptionValues): number =>
    draw(samplerOf({ temperature: 1, seed: 1, topP: 1, topK: 4, ...options }), 300).filter((token) => token === 40)
      .length;
  prefer(40, 41, 42, 43);
  const plain = likeliest({});
  // The entropy is low: the temperature is near its minimum.
  expect(likeliest({ dynatempRange: 0.9, dynatempExponent: 5 })).toBeGreaterThan(plain + 50);
  expect(likeliest({ dynatempRange: 0 })).toBe(plain);
});

test('DRY penalizes what would continue a repetition of the prompt and the answer', () => {
  prefer(40, 41);
  const sampler = samplerOf({ dryMultiplier: 5 });
  for (const token of [7, 8, 40, 7, 8]) sampler.observe(token);
  expect(draw(sampler, 1)).toEqual([41]);
});

describe('the first tokens', () => {
  const endOf = (): number => tokenOf('<|im_end|>');

  test('do not end the answer', () => {
    prefer(endOf(), 41);
    expect(draw(samplerOf({}, { minTokens: 2 }), 3)).toEqual([41, 41, endOf()]);
  });

  test('end it if a grammar says so', () => {
    const grammar = 'root ::= "n"';
    prefer(endOf(), tokenOf('n'));
    expect(draw(samplerOf({}, { minTokens: 10, grammar }), 2)).toEqual([tokenOf('n'), endOf()]);
  });
});

describe('penalties', () => {
  test('count the tokens of the prompt and the chosen ones', () => {
    prefer(40, 41, 42);
    const sampler = samplerOf({ presencePenalty: 5 });
    sampler.observe(40);
    expect(draw(sampler, 4)).toEqual([41, 42, 40, 40]);
  });
});

describe('logit bias', () => {
  test('makes a token likelier', () => {
    prefer(40, 41);
    const sampler = samplerOf({}, { logitBias: [[99, 100]] });
    expect(draw(sampler, 2)).toEqual([99, 99]);
  });

  test.each([-1, 1.5, 1e9])('for %d, which is not a token, is an error', (token) => {
    expect(() => samplerOf({}, { logitBias: [[token, 1]] })).toThrow(
      `logit_bias: ${token} is not a token of this model`,
    );
  });
});

describe('a grammar', () => {
  const grammar = 'root ::= "yes" | "no"';

  test('leaves a choice that it allows', () => {
    const [first] = vocabulary.tokenize('no', { addSpecial: false });
    prefer(first as number);
    expect(samplerOf({}, { grammar }).sample(0)).toBe(first);
  });

  test('replaces a choice that it rejects by the likeliest one that it allows', () => {
    prefer(tokenOf('x'), tokenOf('n'), tokenOf('y'));
    expect(samplerOf({}, { grammar }).sample(0)).toBe(tokenOf('n'));
  });

  test('advances with every token, and ends the answer', () => {
    const sampler = samplerOf({ temperature: 1, seed: 2, topK: 0, topP: 1 }, { grammar });
    logits.fill(0);
    let text = '';
    for (let token = chooseWith(sampler); !vocabulary.isEnd(token); token = chooseWith(sampler)) {
      text += vocabulary.pieceOf(token).toString();
      logits.fill(0);
    }
    expect(['yes', 'no']).toContain(text);
  });

  test('allows the same choice whether or not the likeliest tokens are looked at first', () => {
    const letters = 'root ::= [a-z]+';
    let looked = 0;
    const { candidates } = sources;
    const counted = {
      ...candidates,
      possible(...args: Parameters<typeof candidates.possible>) {
        looked += args[0].length;
        return candidates.possible(...args);
      },
    };
    const draws = (likeliest: typeof candidates.likeliest) =>
      Array.from({ length: 20 }, (_, seed) => {
        sources = { ...sources, candidates: { ...counted, likeliest } };
        prefer(tokenOf('X'), ...'abcdefgh'.split('').map(tokenOf));
        looked = 0;
        return { token: samplerOf({ temperature: 1, seed, topK: 4 }, { grammar: letters }).sample(0), looked };
      });
    const first = draws(candidates.likeliest);
    const all = draws(() => new Int32Array());
    expect(first.map(({ token }) => token)).toEqual(all.map(({ token }) => token));
    // 0 if the first choice is allowed.
    expect(Math.max(...first.map((draw) => draw.looked))).toBe(32 + 16);
    expect(Math.max(...all.map((draw) => draw.looked))).toBeGreaterThan(100);
  });

  test('that allows few tokens is not asked about the likeliest ones', () => {
    const { candidates } = sources;
    const likeliest = (): Int32Array => {
      throw new Error('looked for the likeliest tokens');
    };
    sources = { ...sources, candidates: { ...candidates, likeliest } };
    prefer(tokenOf('X'));
    const sampler = samplerOf({ temperature: 1, topK: 4 }, { grammar: 'root ::= "yes" | "no"' });
    expect(vocabulary.pieceOf(sampler.sample(0) as number).toString()).toMatch(/^(y|n)/);
  });

  test('that cannot be parsed is an error', () => {
    expect(() => samplerOf({}, { grammar: 'root ::= (' })).toThrow('grammar');
  });

  test('that takes too long fails the request, but not if other programs had the processor', () => {
    prefer(tokenOf('x'));
    const apply = sources.candidates.apply;
    sources = {
      ...sources,
      candidates: {
        ...sources.candidates,
        apply(sampler) {
          clock.advance(2000);
          apply(sampler);
        },
      },
    };
    const choose = () => samplerOf({}, { grammar }).sample(0);
    const used = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 100_000, system: 0 });
    expect(choose).not.toThrow();
    used.mockReturnValue({ user: 1_500_000, system: 0 });
    expect(choose).toThrow('the grammar takes too long');
    used.mockRestore();
  });
});

describe('a lazy grammar', () => {
  const lazy = (trigger: string, rest: string): SamplerConstraints => ({
    lazyGrammar: { grammar: `root ::= "${trigger}" ${rest}\n`, triggers: [{ text: trigger, atStart: false }] },
  });

  test('applies from its trigger on', () => {
    const sampler = samplerOf({}, lazy('<tool_call>', '("yes" | "no")'));
    const chooses = (...tokens: readonly number[]): number => {
      prefer(...tokens);
      return chooseWith(sampler);
    };
    expect(chooses(tokenOf('x'))).toBe(tokenOf('x'));
    expect(chooses(tokenOf('<tool_call>'))).toBe(tokenOf('<tool_call>'));
    expect(chooses(tokenOf('x'), tokenOf('n'), tokenOf('y'))).toBe(tokenOf('n'));
    expect(chooses(tokenOf('x'), tokenOf('o'))).toBe(tokenOf('o'));
    expect(vocabulary.isEnd(chooses(tokenOf('x')))).toBe(true);
    sampler.free();
  });

  test('follows a trigger that starts within a token', () => {
    const sampler = samplerOf({}, lazy('the', '"!"'));
    prefer(tokenOf(' the'));
    expect(vocabulary.pieceOf(chooseWith(sampler)).toString()).toBe(' the');
    prefer(tokenOf('x'), tokenOf('!'));
    expect(sampler.sample(0)).toBe(tokenOf('!'));
  });

  test('rejects a token whose text after the trigger does not fit', () => {
    const sampler = samplerOf({}, lazy('th', '"in"'));
    prefer(tokenOf(' the'), tokenOf('x'));
    expect(sampler.sample(0)).toBe(tokenOf('x'));
  });
});

describe('a grammar after thinking', () => {
  const tags = { open: '<think>', close: '</think>', begun: false };
  const grammar = 'root ::= "yes" | "no"';

  /** Chooses for each text in turn a token that begins it. Returns the text of what was chosen and forced. */
  function answer(thinking: Thinking, texts: readonly (string | 'end')[]): string {
    const sampler = samplerOf({}, { grammar, thinking });
    const end = Array.from({ length: vocabulary.size }, (_, token) => token).find(vocabulary.isEnd) as number;
    let written = '';
    for (const text of texts) {
      const wanted = text === 'end' ? [end] : vocabulary.tokenize(text, { addSpecial: false });
      for (const token of wanted) {
        prefer(token, tokenOf('n'));
        const chosen = sampler.sample(0);
        if (chosen !== undefined) written += vocabulary.pieceOf(chosen).toString();
        written += `[${thinking.takeForced()}]`.replace('[]', '');
      }
    }
    sampler.free();
    return written;
  }

  test('applies after the closing tag and a blank line', () => {
    expect(answer(new Thinking(tags), ['<think>', 'H', '</think>', '?', 'o'])).toBe('<think>H</think>[\n\n]no');
  });

  test('applies at once if the model does not think', () => {
    const thinking = new Thinking(tags);
    expect(answer(thinking, ['H', 'o'])).toBe('no');
    expect(thinking.tokens).toBe(0);
    expect(answer(new Thinking(tags), ['y', 'es'])).toBe('yes');
  });

  test('applies after white space, too', () => {
    expect(answer(new Thinking(tags), ['\n', 'H', 'o'])).toBe('\nno');
  });

  test('an opening tag that has begun goes on', () => {
    const parts = ['<', 'H', 'H', '</think>', '?'];
    expect(answer(new Thinking(tags), parts)).toBe('<[think>]H</think>[\n\n]n');
  });

  test('follows thinking that the budget closes', () => {
    const thinking = new Thinking({ ...tags, budget: 3 });
    expect(answer(thinking, ['<think>', 'a', 'b', 'c', 'o'])).toBe('<think>ab[\n</think>\n\n]no');
    expect(thinking.tokens).toBe(3);
  });

  test('follows thinking that ends the answer', () => {
    expect(answer(new Thinking(tags), ['<think>', 'H', 'end', '?', 'o'])).toBe('<think>H[\n</think>\n\n]no');
  });

  test('that cannot be parsed is an error before any thinking', () => {
    expect(() => samplerOf({}, { grammar: 'root ::= (', thinking: new Thinking(tags) })).toThrow('grammar');
  });
});

test('free releases every native sampler once', () => {
  const freed: unknown[] = [];
  const { api } = sources;
  sources = { ...sources, api: { ...api, samplerFree: (sampler) => void freed.push(sampler) } };
  samplerOf({ temperature: 1, tfsZ: 0.5 }, { grammar: 'root ::= "a"' }).free();
  samplerOf({}).free();
  expect(new Set(freed).size).toBe(4);
  expect(freed).toHaveLength(4);
});
