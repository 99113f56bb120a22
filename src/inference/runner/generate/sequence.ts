// One request inside the runner: everything that is known about it, in one place.

import type { GenerateCommand } from '../../protocol/messages.ts';
import { nextChunk, type PlacedImage } from '../vision/image-positions.ts';
import type { LogprobLog } from './sampling/logprobs.ts';
import type { RepetitionGuard } from './sampling/repetition-guard.ts';
import type { Sampler } from './sampling/sampler.ts';
import type { TextStream } from './text-stream.ts';

export interface Sequence {
  readonly id: number;
  /** Who asks. */
  readonly client: string;
  /** The prompt, then what was generated. While generating, the last one is still to be evaluated. Numbers below zero
   * are parts of pictures. */
  readonly tokens: number[];
  /** How many of them are the prompt. */
  readonly promptLength: number;
  readonly droppedTokens: number;
  /** Tokens at the start that a context shift leaves alone. */
  readonly keep: number;
  /** The most tokens to generate. */
  readonly budget: number;
  readonly wantContext: boolean;
  readonly sampler: Sampler;
  readonly text: TextStream;
  readonly guard: RepetitionGuard;
  /** Where probabilities were asked for. */
  readonly logprobs: LogprobLog | undefined;
  /** Whether it goes on when the context is full. */
  readonly shifts: boolean;
  /** Called when the sequence is over. */
  readonly releaseImages: () => void;

  images: readonly PlacedImage[];
  /** Its number in the KV cache, once it has a place. */
  slot: number | undefined;
  /** How many of `tokens` are in the KV cache. */
  evaluated: number;
  /** How many of the first tokens were not evaluated for this request. */
  reused: number;
  generated: number;
  /** How many of the first tokens stand in the cache just as a fresh evaluation would leave them. A context shift
   * ends that: what comes after `keep` has seen tokens that are gone. */
  pure: number;
  /** Another sequence that is about to evaluate the same tokens, and how many of them. */
  following: { readonly leader: Sequence; readonly length: number } | undefined;
  /** How many steps have passed this prompt over. */
  skipped: number;
  /** Nanoseconds: given a place, first token chosen. */
  admittedAt: number;
  firstTokenAt: number;
  /** What the client has been sent, for the context that it may get back. */
  answer: string;
}

export type SequenceParts = Pick<
  Sequence,
  | 'tokens'
  | 'images'
  | 'releaseImages'
  | 'droppedTokens'
  | 'keep'
  | 'budget'
  | 'sampler'
  | 'text'
  | 'guard'
  | 'logprobs'
>;

export function createSequence(command: GenerateCommand, parts: SequenceParts): Sequence {
  const { id, client, wantContext, shift = true } = command;
  return {
    id,
    client,
    wantContext,
    shifts: shift,
    ...parts,
    promptLength: parts.tokens.length,
    slot: undefined,
    evaluated: 0,
    reused: 0,
    generated: 0,
    pure: Number.POSITIVE_INFINITY,
    following: undefined,
    skipped: 0,
    admittedAt: 0,
    firstTokenAt: 0,
    answer: '',
  };
}

/** Its prompt is evaluated, and the answer has begun. */
export function isGenerating(sequence: Sequence): boolean {
  return sequence.generated > 0;
}

/** How many tokens come before the next image, or before the end: what can go through the model as text. */
export function textLeft({ tokens, images, evaluated }: Sequence): number {
  return Math.min(tokens.length, nextChunk(images, evaluated)) - evaluated;
}

/** The tokens at the start that another request could take over. */
export function reusableLength(sequence: Sequence): number {
  return Math.min(sequence.evaluated, sequence.pure);
}
