// A model without weights, for tests of the runner. Its KV cache holds the tokens themselves, and its next token is a
// function of that text: a wrong position, slot or snapshot changes the answer or throws.

import koffi from 'koffi';
import type { Batch } from '../../../src/inference/runner/llama/batch.ts';
import type { EngineContext } from '../../../src/inference/runner/llama/context.ts';
import { canCut, canRemoveMiddle, type MemoryKind } from '../../../src/inference/runner/llama/memory-kind.ts';
import type { Vocabulary } from '../../../src/inference/runner/llama/vocabulary.ts';
import type { PromptImage } from '../../../src/inference/runner/vision/image-positions.ts';

/** A token is an ASCII character. */
export const vocabularySize = 128;
const endToken = 0;
const bosToken = 1;
const imageCell = 2;
const stateBytes = 4;

/** Returns the character that follows the text in the cache; '' ends the answer. */
export type Script = (text: string) => string;

export interface ScriptedVocabularyOptions {
  readonly addsBos?: boolean;
  /** Characters that are control tokens. */
  readonly controls?: string;
}

export function createScriptedVocabulary({
  addsBos = false,
  controls = '',
}: ScriptedVocabularyOptions = {}): Vocabulary {
  return {
    pointer: 0n as Vocabulary['pointer'],
    size: vocabularySize,
    addsBos,
    tokenize(text, { addSpecial }) {
      const tokens = Array.from(text, (character) => character.charCodeAt(0));
      if (tokens.some((token) => token >= vocabularySize)) throw new RangeError('the text is not ASCII');
      return addSpecial && addsBos ? [bosToken, ...tokens] : tokens;
    },
    segmentsOf: (text) => [{ text, special: false }],
    pieceOf: (token) => Buffer.from([token]),
    isEnd: (token) => token === endToken,
    endTokens: () => [endToken],
    isControl: (token) => controls.includes(textOf([token])),
    isNewline: (token) => token === 0x0a,
    isBos: (token) => token === bosToken,
  };
}

/** A scripted answer for each prompt. Another text has no answer. */
export function answering(answers: Readonly<Record<string, string>>): Script {
  return (text) => {
    const [prompt, answer] = Object.entries(answers).find(([start]) => text.startsWith(start)) ?? [];
    if (prompt === undefined) throw new Error(`the script has no answer to ${JSON.stringify(text)}`);
    return answer?.[text.length - prompt.length] ?? '';
  };
}

/** Continues the alphabet after the last character, without an end. */
export const alphabet: Script = (text) => {
  const last = text.charCodeAt(text.length - 1) - 0x61;
  return String.fromCharCode(0x61 + ((last + 1) % 26));
};

/** The tokens of one slot in a pass. */
export interface ScriptedPart {
  readonly slot: number;
  readonly text: string;
}

export interface ScriptedContext extends EngineContext {
  readonly passes: readonly (readonly ScriptedPart[])[];
  /** Whether each pass of text used all threads. */
  readonly fixedThreads: readonly boolean[];
  /** The text in each slot. */
  cached(slot: number): string;
  /** An image of `count` tokens that takes `positions` cells. */
  image(count: number, positions?: number): PromptImage;
}

export interface ScriptedContextOptions {
  readonly script: Script;
  /** Default: a KV cache, which can be cut at any token. */
  readonly memory?: MemoryKind;
  readonly canShift?: boolean;
  /** Copies are made by the next pass. Until then, no cells may be read or replaced. */
  readonly copiesOnDevice?: boolean;
  /** Whether it can restore a snapshot. Default: any. */
  readonly accepts?: (snapshot: Buffer) => boolean;
  /** Called before each pass or image. May throw, or return 'full'. */
  readonly onDecode?: (parts: readonly ScriptedPart[]) => 'done' | 'full';
  /** Called when the end of the last pass is awaited. */
  readonly onWait?: () => void;
}

export function createScriptedContext(options: ScriptedContextOptions): ScriptedContext {
  const {
    script,
    memory = 'attention',
    canShift = canRemoveMiddle(memory),
    copiesOnDevice = false,
    accepts = () => true,
    onDecode = () => 'done',
    onWait = () => {},
  } = options;
  const slots = new Map<number, number[]>();
  /** Of a memory with a state: the number of cells that the state of each slot follows. */
  const states = new Map<number, number>();
  const hasState = !canCut(memory);
  const passes: (readonly ScriptedPart[])[] = [];
  const fixedThreads: boolean[] = [];
  let outputs = new Map<number, Float32Array>();
  let copying = false;
  const expectNoCopies = (): void => {
    if (copying) throw new Error('cells are read or replaced before they are copied');
  };

  const cellsOf = (slot: number): number[] => {
    const cells = slots.get(slot) ?? [];
    slots.set(slot, cells);
    return cells;
  };
  const cached = (slot: number): string => textOf(cellsOf(slot));
  const stateOf = (slot: number): number => states.get(slot) ?? 0;
  /** Slots that have been in main memory. */
  const restored = new Set<number>();
  const isComplete = (slot: number): boolean => copiesOnDevice && memory === 'windowed' && !restored.has(slot);
  const advance = (slot: number, position: number): void => {
    if (hasState && stateOf(slot) !== position)
      throw new Error(`the state of ${stateOf(slot)} cells is at ${position}`);
    states.set(slot, position + 1);
  };
  const decodeParts = (parts: readonly ScriptedPart[]): 'done' | 'full' => {
    copying = false;
    passes.push(parts);
    return onDecode(parts);
  };

  return {
    pointer: 0n as EngineContext['pointer'],
    memory,
    canShift,
    rollback: Number.POSITIVE_INFINITY,
    passes,
    cached,
    fixedThreads,
    decode(batch, options) {
      fixedThreads.push(options?.fixedThreads ?? false);
      const result = decodeParts(partsOf(batch));
      if (result === 'full') return result;
      outputs = new Map();
      for (const { row, slot, position, token, logits } of rowsOf(batch)) {
        advance(slot, position);
        append(cellsOf(slot), position, token);
        if (logits) outputs.set(row, toLogits(script(cached(slot))));
      }
      return 'done';
    },
    decodeEmbeddings() {
      throw new Error('images of a scripted model are not decoded');
    },
    wait: onWait,
    logits(row) {
      const logits = outputs.get(row);
      if (logits === undefined) throw new Error(`row ${row} has no logits`);
      return logits;
    },
    forget(slot, from) {
      // A windowed cache can be cut, but lacks cells then, unless it was never in main memory.
      if (hasState && from > 0 && from < stateOf(slot) && memory !== 'windowed') return false;
      if (isComplete(slot)) states.set(slot, Math.min(from, stateOf(slot)));
      cellsOf(slot).splice(from);
      if (from === 0) states.delete(slot);
      if (from === 0) restored.delete(slot);
      return true;
    },
    shift(slot, { keep, count, length }) {
      const cells = cellsOf(slot);
      if (cells.length !== length) throw new Error(`slot ${slot} has ${cells.length} cells instead of ${length}`);
      cells.splice(keep, count);
      states.set(slot, cells.length);
    },
    snapshotBytes: (slot) => cellsOf(slot).length,
    snapshot(slot) {
      expectNoCopies();
      return Buffer.from(cellsOf(slot));
    },
    restore(slot, snapshot) {
      expectNoCopies();
      if (!accepts(snapshot)) return false;
      restored.add(slot);
      slots.set(slot, [...snapshot]);
      states.set(slot, snapshot.length);
      return true;
    },
    get copying() {
      return copying;
    },
    copiesOnDevice,
    canCut: (slot) => !hasState || isComplete(slot),
    get canAccessState() {
      return !copying || memory === 'hybrid' || memory === 'recurrent';
    },
    copy(from, to) {
      copying = copiesOnDevice;
      if (restored.has(from)) restored.add(to);
      else restored.delete(to);
      slots.set(to, [...cellsOf(from)]);
      states.set(to, stateOf(from));
      return true;
    },
    snapshotState(slot) {
      const state = Buffer.alloc(stateBytes);
      state.writeUInt32LE(stateOf(slot));
      return state;
    },
    stateBytes: () => stateBytes,
    restoreState(slot, state) {
      states.set(slot, state.readUInt32LE());
      return true;
    },
    image: (count, positions = count) => ({
      tokens: Array.from({ length: count }, (_, index) => -1 - index),
      chunks: [
        {
          offset: 0,
          count,
          positions,
          prepare: () => true,
          evaluate({ sequence, position }) {
            const result = decodeParts([{ slot: sequence, text: '\u0002'.repeat(positions) }]);
            if (result === 'full') return result;
            for (let cell = 0; cell < positions; cell++) {
              advance(sequence, position + cell);
              append(cellsOf(sequence), position + cell, imageCell);
            }
            return 'done';
          },
        },
      ],
    }),
  };
}

interface Row {
  readonly row: number;
  readonly slot: number;
  readonly position: number;
  readonly token: number;
  readonly logits: boolean;
}

function rowsOf({ struct }: Batch): Row[] {
  return Array.from({ length: struct.n_tokens }, (_, row) => ({
    row,
    slot: koffi.decode(struct.seq_id[row], 'int32') as number,
    position: struct.pos[row] as number,
    token: struct.token[row] as number,
    logits: struct.logits[row] === 1,
  }));
}

function partsOf(batch: Batch): ScriptedPart[] {
  const texts = new Map<number, string>();
  for (const { slot, token } of rowsOf(batch)) texts.set(slot, (texts.get(slot) ?? '') + textOf([token]));
  return Array.from(texts, ([slot, text]) => ({ slot, text }));
}

function append(cells: number[], position: number, token: number): void {
  if (position !== cells.length) throw new Error(`position ${position} follows ${cells.length} cells`);
  cells.push(token);
}

function textOf(tokens: readonly number[]): string {
  return String.fromCharCode(...tokens);
}

function toLogits(next: string): Float32Array {
  const logits = new Float32Array(vocabularySize);
  logits[next === '' ? endToken : next.charCodeAt(0)] = 10;
  return logits;
}
