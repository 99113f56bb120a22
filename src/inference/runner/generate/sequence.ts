// The entire state of one generate request.

import type { GenerateCommand } from '../../protocol/messages.ts';
import { nextChunk, type PlacedImage } from '../vision/image-positions.ts';
import type { AdapterSet } from './adapter-set.ts';
import type { AnswerPieces } from './answer-pieces.ts';
import type { PrefixMark } from './kv-cache/marks.ts';
import type { LogprobLog } from './sampling/logprobs.ts';
import type { RepetitionGuard } from './sampling/repetition-guard.ts';
import type { Sampler } from './sampling/sampler.ts';
import type { Thinking } from './sampling/thinking.ts';
import type { Drafters } from './speculation/drafter.ts';
import type { TextStream } from './text-stream.ts';

export interface Sequence {
  readonly id: number;
  readonly client: string;
  /** The share of the slots that its client gets, relative to the others. */
  readonly weight: number;
  readonly adapters: AdapterSet;
  /** Sequences share evaluated tokens only within a partition. */
  readonly partition: string;
  /** The prompt, then the generated tokens. While generating, the last one is not evaluated yet. Negative numbers are
   * parts of images. */
  readonly tokens: number[];
  /** Tokens of the prompt. */
  readonly promptLength: number;
  readonly droppedTokens: number;
  /** Tokens at the start that a context shift keeps. */
  readonly keep: number;
  /** Maximum tokens to generate. */
  readonly budget: number;
  readonly wantContext: boolean;
  readonly sampler: Sampler;
  /** Absent if the model does not think. */
  readonly thinking?: Thinking;
  /** Whether the request chose the seed, and expects the same text each time. */
  readonly seeded: boolean;
  /** The text of a token in the answer. */
  readonly pieceOf: AnswerPieces;
  readonly text: TextStream;
  readonly guard: RepetitionGuard;
  /** Absent if the request wants no probabilities. */
  readonly logprobs: LogprobLog | undefined;
  /** Absent if the request does not speculate. */
  readonly drafters: Drafters | undefined;
  /** Whether a full context is shifted. Otherwise the answer ends. */
  readonly shifts: boolean;
  /** Called when the sequence ends. */
  readonly releaseImages: () => void;

  images: readonly PlacedImage[];
  /** Its number in the KV cache. Absent while it waits, and after its end. */
  slot: number | undefined;
  /** Tokens in the KV cache. */
  evaluated: number;
  /** Tokens at the start that came from another sequence. */
  reused: number;
  /** Those of them that were read from disk. */
  fromDisk: number;
  /** Where it can be cut if the memory of the model cannot be cut at any token, in ascending order. */
  marks: readonly PrefixMark[];
  /** Marks to take in the rest of the prompt, in ascending order. */
  plannedMarks: readonly number[];
  generated: number;
  /** Tokens of the answer that were forced. They are not counted as generated. */
  forced: number;
  /** Tokens whose text was written. */
  written: number;
  /** The last tokens, whose text was not written yet. */
  unwritten: number[];
  /** Drafted tokens that were evaluated, and those that the sampler chose too. */
  drafted: number;
  accepted: number;
  /** Those of them that a draft model drafted. */
  modelDrafted: number;
  modelAccepted: number;
  /** Cells after the evaluated tokens that hold the rest of a draft. Only until the pass is completed. */
  draftCells: number;
  /** Tokens at the start whose cells are the same as after a fresh evaluation. After a context shift these are the
   * first `keep`: the cells after them depend on removed tokens. */
  pure: number;
  /** A sequence that evaluates the same tokens, and the length of the common prefix. */
  following: { readonly leader: Sequence; readonly length: number } | undefined;
  /** Steps in a row that did not serve this prompt. */
  skipped: number;
  /** Nanoseconds, when it got its slot. */
  admittedAt: number;
  /** Nanoseconds, when its first token was chosen. */
  firstTokenAt: number;
  /** Nanoseconds, when it chose its first token in its current slot. Absent before that. */
  generatingSince: number | undefined;
  /** Nanoseconds, when it yielded its slot. Absent while it has one. */
  pausedAt: number | undefined;
  /** Nanoseconds that it waited after it had yielded its slot. */
  pausedNanoseconds: number;
  /** The text that was sent, if the request wants its context. */
  answer: string;
}

export type SequenceParts = Pick<
  Sequence,
  | 'adapters'
  | 'tokens'
  | 'images'
  | 'releaseImages'
  | 'droppedTokens'
  | 'keep'
  | 'budget'
  | 'sampler'
  | 'thinking'
  | 'seeded'
  | 'pieceOf'
  | 'text'
  | 'guard'
  | 'logprobs'
  | 'drafters'
>;

export function createSequence(command: GenerateCommand, parts: SequenceParts): Sequence {
  const { id, client, weight = 1, partition = '', wantContext, shift = true } = command;
  return {
    id,
    client,
    weight,
    partition: joinPartitions(partition, parts.adapters.key),
    wantContext,
    shifts: shift,
    ...parts,
    promptLength: parts.tokens.length,
    slot: undefined,
    evaluated: 0,
    reused: 0,
    fromDisk: 0,
    marks: [],
    plannedMarks: [],
    generated: 0,
    forced: 0,
    written: 0,
    unwritten: [],
    drafted: 0,
    accepted: 0,
    modelDrafted: 0,
    modelAccepted: 0,
    draftCells: 0,
    pure: Number.POSITIVE_INFINITY,
    following: undefined,
    skipped: 0,
    admittedAt: 0,
    firstTokenAt: 0,
    generatingSince: undefined,
    pausedAt: undefined,
    pausedNanoseconds: 0,
    answer: '',
  };
}

/** Requests of one caller with the same adapters. */
function joinPartitions(caller: string, adapters: string): string {
  return caller === '' && adapters === '' ? '' : JSON.stringify([caller, adapters]);
}

/** Whether its first token was chosen. */
export function hasBegun(sequence: Sequence): boolean {
  return sequence.generated > 0;
}

/** Whether only the token that was chosen last is left to evaluate. There are more after a pause, or a forced text. */
export function isGenerating(sequence: Sequence): boolean {
  return hasBegun(sequence) && sequence.tokens.length - sequence.evaluated <= 1;
}

/** Tokens that can be evaluated as text in one part: those before the next image, mark or the end. */
export function textLeft({ tokens, images, evaluated, plannedMarks: [mark = tokens.length] }: Sequence): number {
  return Math.min(tokens.length, mark, nextChunk(images, evaluated)) - evaluated;
}

/** Tokens at the start that another sequence can reuse. */
export function reusableLength(sequence: Sequence): number {
  return Math.min(sequence.evaluated, sequence.pure);
}
