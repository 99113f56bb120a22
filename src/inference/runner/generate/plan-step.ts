// Decides which tokens go through the model in the next step: a function of plain data. Everyone who generates gets a
// token, so that running streams never wait for a prompt; then come parts of prompts, as much as a step may take.
//
// llama.cpp takes another path through its attention for 64 tokens of a sequence and more, with other rounding. What
// is shorter can share a pass with everybody; what is not has a pass to itself, and is cut at the same places whether
// it is alone or not. So the text of a request hardly depends on who else is there (docs/adr/0003).

export interface PlanMember {
  readonly id: number;
  /** Tokens that are known and not evaluated: the rest of a prompt up to an image, or the one that was chosen last. */
  readonly left: number;
  /** An image comes next. */
  readonly encodesImage: boolean;
  readonly generates: boolean;
  /** Waits for another sequence to evaluate the tokens that both begin with. */
  readonly following: boolean;
  /** Steps that passed it over. */
  readonly skipped: number;
}

/** The next `count` tokens of a sequence. */
export interface Part {
  readonly id: number;
  readonly count: number;
}

/** What goes through the model at once. Parts are in the order of the members. */
export type Pass = readonly Part[];

// From here on a part goes alone.
const large = 64;
// The shortest prompt goes first, for it is done soonest; but nobody is passed over more often than this.
const maxSkips = 8;

export interface StepPlan {
  readonly passes: readonly Pass[];
  /** Whose image is evaluated after them; at most one, for it takes a while and others generate. */
  readonly encodesImage: readonly number[];
}

export function planStep(members: readonly PlanMember[], chunk: number): StepPlan {
  const prompts = promptParts(members, chunk);
  const shared = members.flatMap(({ id, left, generates }) => {
    const count = generates ? left : (prompts.get(id) ?? 0);
    return count > 0 && (generates || count < large) ? [{ id, count }] : [];
  });
  const alone = [...prompts].filter(([, count]) => count >= large).map(([id, count]) => [{ id, count }]);
  return { passes: shared.length > 0 ? [shared, ...alone] : alone, encodesImage: nextToEncode(members) };
}

/** Whoever has waited longest. */
function nextToEncode(members: readonly PlanMember[]): number[] {
  const waiting = members.filter(({ encodesImage, following }) => encodesImage && !following);
  const [longest] = waiting.sort((a, b) => b.skipped - a.skipped);
  return longest === undefined ? [] : [longest.id];
}

/** How many tokens of which prompts, in the order in which they are served. */
function promptParts(members: readonly PlanMember[], chunk: number): Map<number, number> {
  const parts = new Map<number, number>();
  let room = chunk;
  for (const { id, left } of promptOrder(members)) {
    const count = Math.min(left, room);
    // A part that the room cuts below `large` would be rounded otherwise than the same part alone; it waits a step.
    const cutShort = count < left && count < large && room < chunk;
    if (count === 0 || cutShort) break;
    parts.set(id, count);
    room -= count;
  }
  return parts;
}

function promptOrder(members: readonly PlanMember[]): PlanMember[] {
  return members
    .filter(({ generates, following, left }) => !generates && !following && left > 0)
    .sort((a, b) => Number(b.skipped >= maxSkips) - Number(a.skipped >= maxSkips) || a.left - b.left);
}

export interface ChunkSituation {
  /** Prompt tokens per second, as measured lately. */
  readonly tokensPerSecond: number;
  readonly othersGenerate: boolean;
  readonly numBatch: number;
}

// A prompt alone may take this long in one go before the runner looks whether its caller has left; while others
// generate, their streams must not stand still for long.
const secondsAlone = 1;
const secondsBesideOthers = 0.5;
const usual = 128;

/** How many prompt tokens a step may take: a multiple of 128, or 64 where others wait on a slow machine. */
export function chooseChunk({ tokensPerSecond, othersGenerate, numBatch }: ChunkSituation): number {
  const fitting = tokensPerSecond * (othersGenerate ? secondsBesideOthers : secondsAlone);
  const most = othersGenerate ? usual : numBatch;
  const multiple = Math.max(usual, Math.floor(Math.min(fitting, most) / usual) * usual);
  const wanted = othersGenerate && fitting < usual ? large : multiple;
  return Math.min(numBatch, wanted);
}
