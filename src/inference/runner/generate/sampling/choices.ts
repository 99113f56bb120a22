// Chooses tokens by the logits of a row, with the stages that the options of a request ask for.

import { HearthError } from '../../../../base/errors.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import type { LlamaApi } from '../../llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../llama/bindings/pointers.ts';
import type { EngineContext } from '../../llama/context.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import { maxTopScan } from '../../scan/top-scan.ts';
import { noToken, type Verdict } from './ahead/choice-board.ts';
import type { ChoiceJob, ChoicesAhead } from './ahead/choice-pool.ts';
import type { Candidates } from './candidates.ts';
import { createChains, decisiveTokens, type SamplerSettings, usesTailFree } from './chains.ts';
import { tailFreeLength } from './tail-free.ts';
import { allowedTokens, type GrammarState, knownTokens } from './token-tree.ts';

export interface SamplerSources {
  readonly api: LlamaApi;
  readonly context: EngineContext;
  readonly vocabulary: Vocabulary;
  /** Scratch memory that all samplers share: no choice is interrupted by another. */
  readonly candidates: Candidates;
  readonly choicesAhead: Pick<ChoicesAhead, 'take'>;
  readonly contextLength: number;
  readonly clock: Clock;
}

/** Tokens that are checked before the whole vocabulary. */
const minLikely = 16;
/** Tokens of the whole vocabulary that show whether a grammar allows many, and how many of them it must allow. */
const sampledTokens = 32;
const minSampled = 2;

interface TestedToken {
  readonly token: number;
  readonly verdict: Verdict;
}

interface Mask extends GrammarState {
  readonly allowsBeginnings: boolean;
}

export class Choices {
  readonly #sources: SamplerSources;
  readonly #settings: SamplerSettings;
  readonly #chains: ReturnType<typeof createChains>;
  readonly #decisive: number | undefined;
  readonly #tailFree: boolean;

  constructor(sources: SamplerSources, settings: SamplerSettings) {
    this.#sources = sources;
    this.#settings = settings;
    this.#chains = createChains(sources.api, sources.vocabulary, settings);
    this.#decisive = decisiveTokens(settings);
    this.#tailFree = usesTailFree(settings);
  }

  /** What another thread can choose ahead from these logits, and check against a grammar. */
  jobOf(logits: Float32Array, mask: SamplerPointer | undefined): ChoiceJob | undefined {
    const k = this.#decisive;
    return k === undefined || this.#tailFree ? undefined : { logits, k, chain: this.#chains.tail, mask };
  }

  /** Looks only at tokens that can win where the options allow it. */
  choose(row: number): TestedToken {
    const { context, choicesAhead } = this.#sources;
    const samples = this.#decisive === undefined && !this.#tailFree;
    const ahead = samples ? undefined : choicesAhead.take(context.logits(row));
    if (ahead !== undefined) return { token: checkToken(ahead.token), verdict: ahead.verdict };
    return { token: this.#chooseHere(row), verdict: 'untested' };
  }

  /** Chooses among all tokens that a grammar allows. `allowsBeginnings`: see token-tree.ts. */
  chooseMasked(row: number, { allowsBeginnings, ...state }: Mask, checkTime: () => void): number {
    const { context, candidates, vocabulary } = this.#sources;
    const logits = context.logits(row);
    // Many requests with the same schema are often in the same state.
    const known = knownTokens(vocabulary, state);
    const isOpen = known === undefined && (!allowsBeginnings || this.#allowsMany(state.mask, checkTime));
    const some = isOpen ? this.#findLikely(logits, state.mask, checkTime) : known;
    if (some !== undefined) candidates.fillSome(some, logits);
    else if (allowsBeginnings) candidates.fillSome(allowedTokens(vocabulary, candidates, state, checkTime), logits);
    else {
      candidates.fill(logits);
      candidates.applyInParts(state.mask, checkTime);
    }
    return this.#applyStages();
  }

  /** Looking for the likeliest tokens takes longer than walking the tree where a grammar allows few. */
  #allowsMany(mask: SamplerPointer, checkTime: () => void): boolean {
    const { candidates, vocabulary } = this.#sources;
    const step = vocabulary.size / sampledTokens;
    const sample = Int32Array.from({ length: sampledTokens }, (_, index) => Math.floor((index + 0.5) * step));
    return candidates.possible(sample, mask, checkTime).length >= minSampled;
  }

  /**
   * The likeliest tokens that a grammar allows, in ascending order, if they are as many as can win. Within a string it allows
   * most tokens of the vocabulary, and the one that was rejected contains its end.
   */
  #findLikely(logits: Float32Array, mask: SamplerPointer, checkTime: () => void): Int32Array | undefined {
    const k = this.#decisive;
    if (k === undefined) return undefined;
    const { candidates } = this.#sources;
    const tokens = candidates.likeliest(logits, Math.min(maxTopScan, Math.max(minLikely, 2 * k)));
    const allowed = candidates
      .possible(tokens, mask, checkTime)
      .filter((token) => logits[token] !== Number.NEGATIVE_INFINITY);
    return allowed.length < k ? undefined : Int32Array.from(allowed).sort();
  }

  free(): void {
    const { head, tail } = this.#chains;
    for (const chain of [head, tail]) if (chain !== undefined) this.#sources.api.samplerFree(chain);
  }

  #chooseHere(row: number): number {
    const { api, context, candidates } = this.#sources;
    if (this.#decisive === undefined && !this.#tailFree)
      return api.samplerSample(this.#chains.tail, context.pointer, row);
    const logits = context.logits(row);
    if (this.#decisive === undefined) candidates.fill(logits);
    else candidates.fillTop(logits, this.#decisive);
    return this.#applyStages();
  }

  #applyStages(): number {
    const { candidates } = this.#sources;
    const { head, tail } = this.#chains;
    if (head !== undefined) candidates.apply(head);
    if (this.#tailFree) candidates.cut((logits) => tailFreeLength(logits, this.#settings.tfsZ));
    candidates.apply(tail);
    return checkToken(candidates.selected());
  }
}

function checkToken(token: number | undefined): number {
  if (token === undefined || token === noToken) throw new HearthError('request_failed', 'no token is possible');
  return token;
}
