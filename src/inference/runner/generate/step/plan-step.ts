// Plans which tokens go through the model in the next step, as a function of plain data. Every generating sequence
// gets a token, so that running streams never wait for a prompt. Parts of prompts follow, up to the limit of a step.
//
// llama.cpp's attention rounds differently for 64 or more tokens of a sequence. Shorter parts share a pass. Longer
// ones get a pass of their own and are cut at the same tokens whether or not other requests are there. So the text of a
// request hardly depends on the other requests (docs/adr/0003). With many cells, a token of a short part also takes four
// times longer than one of a longer part, so that a part does not leave a short rest (docs/adr/0048).
//
// While others generate, long parts get a small share of a step. Short prompts that arrive together get all of it: each step
// that some of them wait for costs a pass of the whole model.

import { nanosecondsPerSecond } from '../../../../base/time/duration.ts';

export interface PlanMember {
  readonly id: number;
  /** Tokens to evaluate: the rest of a prompt up to an image, or the token that was chosen last. */
  readonly left: number;
  /** An image comes next. */
  readonly imageNext: boolean;
  readonly generating: boolean;
  /** Waits for another sequence to evaluate the tokens that both begin with, or for the encoding of an image. */
  readonly following: boolean;
  /** Steps in a row that did not serve it. */
  readonly skipped: number;
  /** The key of its adapters. A pass has sequences with the same ones. */
  readonly adapters: string;
  /** The first of `left` whose logits are reported. Absent: none. */
  readonly scoredFrom?: number;
}

/** Parts that go through the model in one call, in the order of the members. */
export type Pass = readonly { readonly id: number; readonly count: number }[];

// A part of this many tokens gets a pass of its own.
const largePart = 64;
// A rest of this many tokens takes no longer than a smaller part before it.
const cheapRest = 16;
// The shortest prompt goes first, because it ends soonest. This limit keeps long ones from waiting forever.
const maxSkips = 8;

interface StepPlan {
  readonly passes: readonly Pass[];
  /** Sequences whose image is evaluated after the passes. At most one: an image delays the streams of the others. */
  readonly images: readonly number[];
}

interface StepLimits {
  /** The key of the last pass. The next step begins with the same ones: a change costs milliseconds. */
  readonly adapters?: string;
  /** Tokens whose logits can be reported in one step. */
  readonly maxScored?: number;
}

export function planStep(
  members: readonly PlanMember[],
  chunk: number,
  { adapters = '', maxScored = Number.POSITIVE_INFINITY }: StepLimits = {},
): StepPlan {
  const prompts = promptParts(members, chunk, new ScoreRoom(maxScored));
  const shared = groupByAdapters(members, adapters).map((group) =>
    group.flatMap(({ id, left, generating }) => {
      const count = generating ? left : (prompts.get(id) ?? 0);
      return count > 0 && (generating || count < largePart) ? [{ id, count }] : [];
    }),
  );
  const alone = [...prompts].filter(([, count]) => count >= largePart).map(([id, count]) => [{ id, count }]);
  return { passes: [...shared.filter((pass) => pass.length > 0), ...alone], images: nextImage(members) };
}

/**
 * The same for a GPU. Prompts and single tokens take turns: llama.cpp would compute them one after the other in any case, and
 * the first token of a prompt need not wait for the tokens of others. Rounding depends on what else is in a pass there, so that
 * prompts of all lengths share one. llama.cpp divides it where the lengths of adjacent prompts differ (docs/adr/0053).
 */
export function planDeviceStep(
  members: readonly PlanMember[],
  chunk: number,
  { adapters = '', turn, maxScored = Number.POSITIVE_INFINITY }: DeviceLimits,
): StepPlan {
  const parts = new Map<number, number>();
  const scores = new ScoreRoom(maxScored);
  let room = chunk;
  for (const member of promptOrder(members)) {
    const count = Math.min(member.left, room, scores.roomFor(member));
    if (count === 0) continue;
    parts.set(member.id, count);
    scores.take(member, count);
    room -= count;
  }
  const isForPrompts = parts.size > 0 && (turn === 'prompts' || !members.some(({ generating }) => generating));
  const passes = groupByAdapters(members, adapters).map((group) =>
    group.flatMap(({ id, left, generating }) => {
      const count = isForPrompts ? (parts.get(id) ?? 0) : generating ? left : 0;
      return count > 0 ? [{ id, count }] : [];
    }),
  );
  return { passes: passes.filter((pass) => pass.length > 0), images: nextImage(members) };
}

interface DeviceLimits extends StepLimits {
  /** What comes next if there are both. */
  readonly turn: 'prompts' | 'tokens';
}

function groupByAdapters(members: readonly PlanMember[], first: string): PlanMember[][] {
  const keys = new Set([first, ...members.map(({ adapters }) => adapters)]);
  return [...keys].map((key) => members.filter(({ adapters }) => adapters === key));
}

function nextImage(members: readonly PlanMember[]): number[] {
  const waiting = members.filter(({ imageNext, following }) => imageNext && !following);
  const [longest] = waiting.sort((a, b) => b.skipped - a.skipped);
  return longest === undefined ? [] : [longest.id];
}

/** Tokens per prompt, in the order of service. */
function promptParts(members: readonly PlanMember[], chunk: number, scores: ScoreRoom): Map<number, number> {
  const parts = new Map<number, number>();
  const longChunk = limitLongParts(
    chunk,
    members.some(({ generating }) => generating),
  );
  let used = 0;
  for (const member of promptOrder(members)) {
    const { id, left } = member;
    const room = Math.min((left < largePart ? chunk : longChunk) - used, scores.roomFor(member));
    const count = partOf(left, room);
    // A part that is cut below `largePart` would be rounded differently from the same part alone. It waits a step.
    const cutShort = count < left && (count < largePart || isShortRest(left - count)) && used > 0;
    if (count <= 0 || cutShort) continue;
    parts.set(id, count);
    scores.take(member, count);
    used += count;
  }
  return parts;
}

/** Divides the tokens that can be scored in a step. */
class ScoreRoom {
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  roomFor({ scoredFrom = Number.POSITIVE_INFINITY }: PlanMember): number {
    return scoredFrom + this.#left;
  }

  take({ scoredFrom = Number.POSITIVE_INFINITY }: PlanMember, count: number): void {
    this.#left -= Math.max(0, count - scoredFrom);
  }
}

/** The next part of a prompt. If it would leave a short rest, it is smaller, so that both are evaluated fast. */
function partOf(left: number, room: number): number {
  return isShortRest(left - room) && left >= 2 * largePart ? left - largePart : Math.min(left, room);
}

function isShortRest(count: number): boolean {
  return count > cheapRest && count < largePart;
}

function promptOrder(members: readonly PlanMember[]): PlanMember[] {
  return members
    .filter(({ generating, following, left }) => !generating && !following && left > 0)
    .sort((a, b) => Number(b.skipped >= maxSkips) - Number(a.skipped >= maxSkips) || a.left - b.left);
}

interface ChunkSituation {
  /** Recent speed of prompt evaluation. */
  readonly tokensPerSecond: number;
  readonly othersGenerate: boolean;
  readonly numBatch: number;
}

// The time that a prompt may take per step. The runner reads cancel commands between steps, and the streams of other
// requests stand still during one.
const secondsAlone = 1;
const secondsWithOthers = 0.5;
const standardChunk = 128;

/** Prompt tokens per step: a multiple of 128, or 64 if others generate on a slow machine. */
export function chooseChunk({ tokensPerSecond, othersGenerate, numBatch }: ChunkSituation): number {
  const affordable = tokensPerSecond * (othersGenerate ? secondsWithOthers : secondsAlone);
  const multiple = Math.max(standardChunk, Math.floor(Math.min(affordable, numBatch) / standardChunk) * standardChunk);
  const chunk = othersGenerate && affordable < standardChunk ? largePart : multiple;
  return Math.min(numBatch, chunk);
}

/** How much of a chunk long parts can have. They run alone, so the streams of others wait for them in addition. */
export function limitLongParts(chunk: number, othersGenerate: boolean): number {
  return othersGenerate ? Math.min(chunk, standardChunk) : chunk;
}

// Small passes are slow for their size, and do not predict the speed of a long prompt.
const minMeasured = 32;
const weightOfNew = 0.3;

/** The measured speed of prompt evaluation with this model on this machine. */
export class PromptRate {
  /** Before the first measurement: fast enough for full batches. */
  perSecond = 1000;

  observe(tokens: number, nanoseconds: number): void {
    if (tokens < minMeasured || nanoseconds <= 0) return;
    const measured = (tokens / nanoseconds) * nanosecondsPerSecond;
    this.perSecond += weightOfNew * (measured - this.perSecond);
  }
}

// What a pass of prompts may take while others generate, which wait for it and for their own pass. A pass takes more tokens only if
// twice its time is not too long.
const maxSharedNanoseconds = 0.07 * nanosecondsPerSecond;
const shortSharedNanoseconds = maxSharedNanoseconds / 2;
const minShared = 64;

/**
 * How many prompt tokens a GPU evaluates between two tokens of others. Not by the speed of prompts: the time of a pass grows
 * less than its tokens, so that the speed of a small part says little about a larger one.
 */
export class SharedChunk {
  readonly #limit: number;
  tokens: number;

  constructor(numBatch: number) {
    this.#limit = numBatch;
    this.tokens = numBatch;
  }

  /** Reports the time of a pass with this many prompt tokens. */
  observe(tokens: number, nanoseconds: number): void {
    if (nanoseconds > maxSharedNanoseconds)
      this.tokens = Math.max(Math.min(minShared, this.#limit), Math.floor(this.tokens / 2));
    else if (nanoseconds < shortSharedNanoseconds && tokens >= this.tokens)
      this.tokens = Math.min(this.#limit, 2 * this.tokens);
  }
}
