// The conversations of the simulation: several turns each, with system prompts that many of them share.

import { blockLength } from '../../src/inference/remote/routing/limits.ts';

/** A prompt without its text: what matters is which blocks it shares with others. */
export interface Prompt {
  readonly tokens: number;
  /** The blocks of the prompt, as `hashBlocks` would have them. */
  readonly blocks: readonly string[];
}

export interface Turn extends Prompt {
  readonly answerTokens: number;
  /** Seconds between the end of the answer before and this question. */
  readonly pause: number;
}

export interface Conversation {
  /** The time in seconds. */
  readonly startsAt: number;
  readonly turns: readonly Turn[];
}

/** Of a block, with four characters per token. */
export const blockTokens = blockLength / 4;

const systemPrompts = 40;
const systemTokens = { min: 500, max: 4000 };
const turnsPerConversation = { min: 2, max: 10 };
const questionTokens = { min: 20, max: 600 };
const answerTokens = { min: 50, max: 600 };
/** The average. */
const thinkTimeSeconds = 30;

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `perSecond` conversations start per second, at random times. */
export function createConversations(count: number, perSecond: number, random: () => number): readonly Conversation[] {
  const between = ({ min, max }: { min: number; max: number }): number => Math.round(min + random() * (max - min));
  const exponential = (mean: number): number => -Math.log(1 - random()) * mean;
  const systems = Array.from({ length: systemPrompts }, () => between(systemTokens));
  let time = 0;
  return Array.from({ length: count }, (_, index) => {
    time += exponential(1 / perSecond);
    // The n-th system prompt is about 1/n as common as the first one.
    const system = Math.floor(systemPrompts ** random()) - 1;
    const shared = systems[system] ?? 0;
    let tokens = shared;
    const turns = Array.from({ length: between(turnsPerConversation) }, () => {
      tokens += between(questionTokens);
      const blocks = toBlocks(tokens, { count: Math.floor(shared / blockTokens), system, conversation: index });
      const asked = { tokens, blocks, answerTokens: between(answerTokens), pause: exponential(thinkTimeSeconds) };
      tokens += asked.answerTokens;
      return asked;
    });
    return { startsAt: time, turns };
  });
}

/** Blocks within the system prompt are the same for all conversations that have it. */
function toBlocks(
  tokens: number,
  shared: { readonly count: number; readonly system: number; readonly conversation: number },
): readonly string[] {
  return Array.from({ length: Math.floor(tokens / blockTokens) }, (_, index) =>
    index < shared.count ? `system ${shared.system} ${index}` : `conversation ${shared.conversation} ${index}`,
  );
}
