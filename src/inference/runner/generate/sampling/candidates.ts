// The candidates for the next token as llama.cpp's samplers expect them, in memory of JavaScript, so that code here can
// read and change them between native samplers.
//
//   llama_token_data       { int32 id; float logit; float p; }                         12 bytes
//   llama_token_data_array { llama_token_data *data; size_t size; int64 selected; bool sorted; }   32 bytes

import koffi from 'koffi';
import type { LlamaApi } from '../../llama/bindings/llama-api.ts';
import type { Address, SamplerPointer } from '../../llama/bindings/pointers.ts';
import { createTopScan } from '../../scan/top-scan.ts';

const dataBytes = 12;
const arrayBytes = 32;
const partSize = 512;

export function createCandidates(api: Pick<LlamaApi, 'samplerApply'>, vocabularySize: number) {
  const data = new ArrayBuffer(vocabularySize * dataBytes);
  const ids = new Int32Array(data);
  const floats = new Float32Array(data);
  const array = Buffer.alloc(arrayBytes);
  const ownAddress = koffi.address(data);
  const scan = createTopScan(vocabularySize);

  const reset = (size: number): void => {
    array.writeBigUInt64LE(ownAddress, 0);
    array.writeBigUInt64LE(BigInt(size), 8);
    array.writeBigInt64LE(-1n, 16);
    array.writeUInt8(0, 24);
  };
  const write = (index: number, token: number, logit: number): void => {
    ids[index * 3] = token;
    floats[index * 3 + 1] = logit;
    floats[index * 3 + 2] = 0;
  };
  const size = (): number => Number(array.readBigUInt64LE(8));
  const fillSome = (tokens: Int32Array, logits: Float32Array): void => {
    for (let index = 0; index < tokens.length; index++) {
      const token = tokens[index] as number;
      write(index, token, logits[token] as number);
    }
    reset(tokens.length);
  };
  const top = (logits: Float32Array, k: number): Int32Array => scan.tokens.subarray(0, scan.run(logits, k));

  // A sampler may move the candidates to its own memory.
  const current = (): CandidateData => {
    const address = array.readBigUInt64LE(0);
    if (address === ownAddress) return { ids, floats };
    const view = koffi.view(address as Address, size() * dataBytes);
    return { ids: new Int32Array(view), floats: new Float32Array(view) };
  };

  return {
    /** All tokens with their logits, unsorted. */
    fill(logits: Float32Array): void {
      for (let token = 0; token < vocabularySize; token++) write(token, token, logits[token] as number);
      reset(vocabularySize);
    },
    /** The tokens from which a sampler takes the `k` likeliest, unsorted. `k` is at most maxTopScan. */
    fillTop: (logits: Float32Array, k: number): void => fillSome(top(logits, k), logits),
    /** The `k` likeliest tokens, the likeliest first. `k` is at most maxTopScan. */
    likeliest: (logits: Float32Array, k: number): Int32Array => sortTokens(top(logits, k), logits).subarray(0, k),
    /** Only one token, to check it against a grammar. */
    fillOne(token: number): void {
      write(0, token, 1);
      reset(1);
    },
    /** These tokens with their logits, unsorted. */
    fillSome,
    apply: (sampler: SamplerPointer): void => api.samplerApply(sampler, array),
    /** The tokens that a grammar allows, among these. Calls `between` after each part of them; it may throw. */
    possible(tokens: Int32Array, mask: SamplerPointer, between: () => void): number[] {
      const found: number[] = [];
      for (let start = 0; start < tokens.length; start += partSize) {
        const part = tokens.subarray(start, start + partSize);
        for (const [index, token] of part.entries()) write(index, token, 1);
        reset(part.length);
        api.samplerApply(mask, array);
        found.push(...part.filter((_, index) => floats[index * 3 + 1] !== Number.NEGATIVE_INFINITY));
        between();
      }
      return found;
    },
    /** Applies a sampler that treats each candidate separately, in parts. Calls `between` after each; it may throw. */
    applyInParts(sampler: SamplerPointer, between: () => void): void {
      for (let start = 0; start < vocabularySize; start += partSize) {
        reset(Math.min(partSize, vocabularySize - start));
        array.writeBigUInt64LE(ownAddress + BigInt(start * dataBytes), 0);
        api.samplerApply(sampler, array);
        between();
      }
      reset(vocabularySize);
    },
    /** Sorts the candidates, and keeps as many as `decide` returns for their logits. */
    cut(decide: (sortedLogits: Float32Array) => number): void {
      const order = sortByLogit(current(), size());
      const kept = order.slice(0, decide(Float32Array.from(order, ({ logit }) => logit)));
      kept.forEach(({ token, logit }, index) => {
        ids[index * 3] = token;
        floats[index * 3 + 1] = logit;
      });
      reset(kept.length);
      array.writeUInt8(1, 24);
    },
    /** The token that the last sampler chose; undefined if no token is possible. */
    selected(): number | undefined {
      const index = Number(array.readBigInt64LE(16));
      if (index < 0 || index >= size()) return undefined;
      const { ids: tokens, floats: values } = current();
      return values[index * 3 + 1] === Number.NEGATIVE_INFINITY ? undefined : tokens[index * 3];
    },
    /** Whether the first candidate is still possible. */
    firstPossible: (): boolean => current().floats[1] !== Number.NEGATIVE_INFINITY,
  };
}

function sortTokens(tokens: Int32Array, logits: Float32Array): Int32Array {
  return tokens.slice().sort((a, b) => (logits[b] as number) - (logits[a] as number));
}

interface CandidateData {
  readonly ids: Int32Array;
  readonly floats: Float32Array;
}

function sortByLogit({ ids, floats }: CandidateData, size: number): { token: number; logit: number }[] {
  return Array.from({ length: size }, (_, index) => ({
    token: ids[index * 3] as number,
    logit: floats[index * 3 + 1] as number,
  })).sort((a, b) => b.logit - a.logit);
}

export type Candidates = ReturnType<typeof createCandidates>;
