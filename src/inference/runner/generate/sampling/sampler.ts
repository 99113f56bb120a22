// Chooses the next token of one request. Models and their settings were tuned with this order of
// stages: penalties, grammar, top_k, tfs_z, typical_p, top_p, min_p, temperature, then the random choice.

import { HearthError } from '../../../../base/errors.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import type { GenerationInput, LazyGrammar } from '../../../protocol/messages.ts';
import type { LlamaApi } from '../../llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../llama/bindings/pointers.ts';
import type { EngineContext } from '../../llama/context.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import { noToken } from './ahead/choice-board.ts';
import type { ChoiceJob } from './ahead/choice-pool.ts';
import type { ChoicesAhead } from './ahead/choices-ahead.ts';
import type { Candidates } from './candidates.ts';
import { createChains, decisiveTokens, usesTailFree } from './chains.ts';
import { createPenalties } from './penalties.ts';
import type { SamplerSettings } from './sampler-settings.ts';
import { tailFreeLength } from './tail-free.ts';
import { advanceWatch, startWatch, type Triggered, type Watch } from './trigger-watch.ts';

export interface Sampler {
  /** Counts a token of the prompt for the penalties. */
  observe(token: number): void;
  /** Applies penalties and biases to the logits in `row` before `sample` does. Returns what can be chosen ahead. */
  prepare(row: number): ChoiceJob | undefined;
  /** Chooses a token by the logits in `row` of the last decode, and counts it for the penalties. */
  sample(row: number): number;
  free(): void;
}

/** Constraints on the next token that are not options. */
export type SamplerConstraints = Pick<GenerationInput, 'grammar' | 'lazyGrammar' | 'logitBias'>;

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

// Nanoseconds. Checking an entire vocabulary against a grammar takes a tenth of it.
const maxChoiceTime = 1e9;
// Tokens that are tried where a grammar starts. Mostly the first one fits.
const maxAttempts = 16;

export function createSampler(
  sources: SamplerSources,
  settings: SamplerSettings,
  { grammar: grammarText, lazyGrammar, logitBias = [] }: SamplerConstraints = {},
): Sampler {
  const { api, context, vocabulary, candidates, choicesAhead, clock } = sources;
  const penalties = createPenalties(settings.penalties, sources);
  const bias = checkBias(logitBias, vocabulary.size);
  let grammar = grammarText === undefined ? undefined : createGrammar(api, vocabulary, grammarText);
  let watch = lazyGrammar === undefined ? undefined : startWatch(lazyGrammar);
  const tailFree = usesTailFree(settings);
  const { head, tail } = createChains(api, vocabulary.size, settings);
  const decisive = decisiveTokens(settings);

  /** Applies the stages to the candidates. */
  const applyStages = (): number => {
    if (head !== undefined) candidates.apply(head);
    if (tailFree) candidates.cut((logits) => tailFreeLength(logits, settings.tfsZ));
    candidates.apply(tail);
    return checkToken(candidates.selected());
  };

  /** Looks only at tokens that can win where the options allow it. */
  const chooseFreely = (row: number): number => {
    if (decisive === undefined && !tailFree) return api.samplerSample(tail, context.pointer, row);
    const logits = context.logits(row);
    const ahead = choicesAhead.take(logits);
    if (ahead !== undefined) return checkToken(ahead);
    if (decisive === undefined) candidates.fill(logits);
    else candidates.fillTop(logits, decisive);
    return applyStages();
  };

  /** Chooses among all tokens that the grammar allows. */
  const chooseMasked = (row: number, mask: SamplerPointer): number => {
    candidates.fill(context.logits(row));
    candidates.applyInParts(mask, createTimeCheck(clock));
    return applyStages();
  };

  /** Whether the grammar allows the token now. */
  const allows = (mask: SamplerPointer, token: number): boolean => {
    candidates.fillOne(token);
    candidates.apply(mask);
    return candidates.firstPossible();
  };

  // Checking the entire vocabulary against the grammar is slow, and the grammar mostly allows the first choice. So only
  // that one is checked, and the others if it is rejected.
  const chooseByGrammar = (row: number, mask: SamplerPointer): number => {
    const checkTime = createTimeCheck(clock);
    const first = chooseFreely(row);
    const token = allows(mask, first) ? first : chooseMasked(row, mask);
    api.samplerAccept(mask, token);
    checkTime();
    return token;
  };

  /** The grammar after these tokens; undefined if they do not fit it. */
  const startGrammar = (text: string, { before, tokens }: Triggered): SamplerPointer | undefined => {
    const mask = createGrammar(api, vocabulary, withPrefix(text, before), prefixedRoot);
    for (const token of tokens) {
      if (!allows(mask, token)) {
        api.samplerFree(mask);
        return undefined;
      }
      api.samplerAccept(mask, token);
    }
    return mask;
  };

  // A token can complete the trigger and have more text, which must fit the grammar, too. Otherwise another token is
  // chosen.
  const chooseWatched = (row: number, lazy: LazyGrammar, watched: Watch): number => {
    const logits = context.logits(row);
    for (let attempt = 1; ; attempt++) {
      const token = chooseFreely(row);
      const text = vocabulary.pieceOf(token).toString('latin1');
      const next = advanceWatch(lazy, watched, { token, text });
      if ('phase' in next) {
        watch = next;
        return token;
      }
      grammar = startGrammar(lazy.grammar, next);
      if (grammar !== undefined) return token;
      if (attempt === maxAttempts) {
        watch = undefined;
        return token;
      }
      logits[token] = Number.NEGATIVE_INFINITY;
    }
  };

  const choose = (row: number): number => {
    if (grammar !== undefined) return chooseByGrammar(row, grammar);
    if (lazyGrammar !== undefined && watch !== undefined) return chooseWatched(row, lazyGrammar, watch);
    return chooseFreely(row);
  };

  let prepared: number | undefined;
  const adjust = (row: number): Float32Array => {
    const logits = context.logits(row);
    penalties.apply(logits);
    for (const [token, value] of bias) logits[token] = (logits[token] as number) + value;
    return logits;
  };

  return {
    observe: penalties.accept,
    prepare(row) {
      const logits = adjust(row);
      prepared = row;
      return decisive === undefined || tailFree ? undefined : { logits, k: decisive, chain: tail };
    },
    sample(row) {
      if (prepared !== row) adjust(row);
      prepared = undefined;
      const token = choose(row);
      penalties.accept(token);
      return token;
    },
    free() {
      for (const sampler of [grammar, head, tail]) if (sampler !== undefined) api.samplerFree(sampler);
    },
  };
}

function checkToken(token: number | undefined): number {
  if (token === undefined || token === noToken) throw new HearthError('request_failed', 'no token is possible');
  return token;
}

// A number outside the vocabulary would be ignored silently.
function checkBias<Bias extends readonly (readonly [number, number])[]>(bias: Bias, vocabularySize: number): Bias {
  const invalid = bias.find(([token]) => !Number.isInteger(token) || token < 0 || token >= vocabularySize);
  if (invalid !== undefined)
    throw new HearthError('bad_request', `logit_bias: ${invalid[0]} is not a token of this model`);
  return bias;
}

// Grammars are checked earlier, but the number of parses of an answer depends on the answer. All requests wait while a
// token is chosen.
function createTimeCheck(clock: Clock): () => void {
  const start = clock.monotonic();
  return () => {
    if (clock.monotonic() - start > maxChoiceTime)
      throw new HearthError('request_failed', 'the grammar takes too long to evaluate');
  };
}

function createGrammar(api: LlamaApi, vocabulary: Vocabulary, text: string, root = 'root'): SamplerPointer {
  const grammar = api.samplerGrammar(vocabulary.pointer, text, root);
  if (grammar === null) throw new HearthError('bad_request', 'the grammar cannot be parsed');
  return grammar;
}

const prefixedRoot = 'prefixed-root';

/** A grammar for the same texts after a prefix, whose bytes are in latin1. */
function withPrefix(grammar: string, prefix: string): string {
  const points = Array.from(Buffer.from(prefix, 'latin1').toString('utf8'), (character) =>
    (character.codePointAt(0) as number).toString(16).padStart(8, '0'),
  );
  return `${grammar}${prefixedRoot} ::= "${points.map((hex) => `\\U${hex}`).join('')}" root\n`;
}
