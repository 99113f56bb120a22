// The entire state of one generate request.

import type { GenerateCommand } from '../../../protocol/messages.ts';
import { nextChunk, type PlacedImage } from '../../vision/image-positions.ts';
import type { LogprobLog } from '../sampling/logprobs.ts';
import type { PromptScores } from '../sampling/prompt-scores.ts';
import type { RepetitionGuard } from '../sampling/repetition-guard.ts';
import type { Sampler } from '../sampling/sampler.ts';
import type { Thinking } from '../sampling/thinking.ts';
import type { Drafters } from '../speculation/drafter.ts';
import type { AnswerPieces } from '../text/answer-pieces.ts';
import type { TextStream } from '../text/text-stream.ts';
import type { AdapterSet } from './adapter-set.ts';

/** Where a sequence can be cut although its memory cannot be cut at any token. */
export interface PrefixMark {
  /** Tokens before it. */
  readonly length: number;
  readonly state: Buffer;
}

/** What a request consists of. */
export interface SequenceInput {
  readonly adapters: AdapterSet;
  /** The prompt, then the generated tokens. While generating, the last one is not evaluated yet. Negative numbers are
   * parts of images. */
  readonly tokens: number[];
  images: readonly PlacedImage[];
  /** Called when the sequence ends. */
  readonly releaseImages: () => void;
  readonly droppedTokens: number;
  /** Tokens at the start that a context shift keeps. */
  readonly keep: number;
  /** Maximum tokens to generate. */
  readonly budget: number;
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
  readonly logprobs?: LogprobLog;
  /** Absent if the request wants no probabilities of its prompt. */
  readonly promptScores?: PromptScores;
  /** Absent if the request does not speculate. */
  readonly drafters?: Drafters;
}

class SequenceState {
  readonly id: number;
  readonly client: string;
  /** The share of the slots that the client gets, relative to the others. */
  readonly weight: number;
  /** Whether it gets only what no other request needs. */
  readonly background: boolean;
  /** Sequences share evaluated tokens only within a partition. */
  readonly partition: string;
  /** The conversation that the caller names. Absent: it names none. */
  readonly session: string | undefined;
  /** Whether the caller expects a certain text. */
  readonly isPredicted: boolean;
  readonly wantContext: boolean;
  readonly wantProgress: boolean;
  /** When its progress was sent last, in nanoseconds. */
  progressSentAt = 0;
  /** Whether it ends with its prompt. */
  readonly promptOnly: boolean;
  /** Whether a full context is shifted. Otherwise the answer ends. */
  readonly shifts: boolean;
  readonly promptLength: number;
  /** The number of the sequence in the KV cache. Absent while it waits, and after its end. */
  slot: number | undefined;
  /** Tokens in the KV cache. */
  evaluated = 0;
  /** Tokens at the start that came from another sequence. */
  reused = 0;
  /** Reused tokens that were read from disk. */
  fromDisk = 0;
  /** Where it can be cut if the memory of the model cannot be cut at any token, in ascending order. */
  marks: readonly PrefixMark[] = [];
  /** Marks to take in the rest of the prompt, in ascending order. */
  plannedMarks: readonly number[] = [];
  generated = 0;
  /** Tokens of the answer that were forced. They are not counted as generated. */
  forced = 0;
  /** Tokens whose text was written. */
  written = 0;
  /** The last tokens, whose text was not written yet. */
  unwritten: number[] = [];
  /** Drafted tokens that were evaluated, and those that the sampler chose too. */
  drafted = 0;
  accepted = 0;
  /** The same for those that a draft model drafted. */
  modelDrafted = 0;
  modelAccepted = 0;
  /** The same for those of the prediction. */
  predicted = 0;
  predictedAccepted = 0;
  /** Cells after the evaluated tokens that hold the rest of a draft. Only until the tokens of the pass are chosen. */
  draftCells = 0;
  /** Tokens at the start whose cells are the same as after a fresh evaluation. After a context shift these are the
   * first `keep`: the cells after them depend on removed tokens. */
  pure = Number.POSITIVE_INFINITY;
  /** A sequence that evaluates the same tokens, and the length of the common prefix. */
  following: { readonly leader: Sequence; readonly length: number } | undefined;
  /** Steps in a row that did not serve this prompt. */
  skipped = 0;
  // Times in nanoseconds. When it got its slot.
  admittedAt = 0;
  firstTokenAt = 0;
  /** When it chose its first token in its current slot. Absent before that. */
  generatingSince: number | undefined;
  /** When it yielded its slot. Absent while it has one. */
  pausedAt: number | undefined;
  /** How long it waited after it had yielded its slot. */
  pausedNanoseconds = 0;
  /** Written tokens that were not reported yet. Absent: the request does not want them. */
  readonly unreported: number[] | undefined;
  /** The text that was sent, if the request wants its context. */
  answer = '';

  constructor(command: GenerateCommand, { adapters, tokens }: SequenceInput) {
    this.id = command.id;
    this.client = command.client;
    this.weight = command.weight ?? 1;
    this.background = command.background ?? false;
    this.partition = joinPartitions(command.partition ?? '', adapters.key);
    this.session = command.session;
    this.isPredicted = command.prediction !== undefined;
    this.wantContext = command.wantContext;
    this.wantProgress = command.wantProgress ?? false;
    this.promptOnly = command.promptOnly ?? false;
    this.unreported = command.wantTokens ? [] : undefined;
    this.shifts = command.shift ?? true;
    this.promptLength = tokens.length;
  }
}

export type Sequence = SequenceInput & SequenceState;

export function createSequence(command: GenerateCommand, input: SequenceInput): Sequence {
  return Object.assign(new SequenceState(command, input), input);
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

/** The tokens that may come from other sequences. The last one is evaluated: its logits choose the next token. */
export function sharedPart(sequence: Sequence): number[] {
  const length = Math.min(sequence.tokens.length - 1, unscoredLength(sequence));
  return sequence.tokens.slice(0, length);
}

/** Tokens at the start whose logits no report needs. */
export function unscoredLength(sequence: Sequence): number {
  const { promptScores } = sequence;
  return promptScores === undefined || hasBegun(sequence) ? Number.POSITIVE_INFINITY : promptScores.unscored;
}

/** Tokens at the start that another sequence can reuse. */
export function reusableLength(sequence: Sequence): number {
  return Math.min(sequence.evaluated, sequence.pure);
}
