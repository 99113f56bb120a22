// How far a model is from another one, such as the one that it was quantized from: the perplexities of both on a text, and the
// divergence of their distributions. The text is cut into chunks as llama-perplexity does, so that the figures are the same.
//
// The distributions of the other model are kept in a temporary file, so that both need not be in memory at the same time.

import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { PromptToken } from '../../../inference/model/answer-event.ts';
import type { GenerationOptions } from '../../../inference/model/conversation.ts';
import { type Comparison, ComparisonSums, chunkTokens, cutChunks, firstScored } from './comparison.ts';
import type { Generate } from './generate.ts';
import type { ModelInput } from './prepare-model.ts';
import type { Tokenize } from './tokens.ts';

interface CompareInput extends ModelInput {
  /** The model that is the base of the comparison. */
  readonly against: ModelInput['model'];
  /** Absent: the one that ships with Hearth. */
  readonly text?: string | undefined;
  /** A client has one comparison at a time. */
  readonly client: string;
}

type CompareEvent =
  | { readonly type: 'progress'; readonly completed: number; readonly total: number }
  | { readonly type: 'done'; readonly comparison: Comparison };

export type Compare = (input: Reported<CompareInput>, signal: AbortSignal) => AsyncGenerator<CompareEvent>;

/** Bytes of the file. A longer text is compared in several rounds. */
const maxFile = 2 ** 29;
/** Bytes of distributions in one command to a runner, which the server's thread encodes. */
const maxBaseline = 2 ** 22;
/** Each has a file, so their number bounds the space on the disk. */
const maxRunning = 4;

interface CompareServices {
  readonly generate: Generate;
  readonly tokenize: Tokenize;
}

export function createCompare(services: CompareServices): Compare {
  const clients = new Set<string>();

  return async function* (input, signal) {
    const { client } = input;
    if (clients.has(client)) throw new HearthError('busy', 'another comparison of this client is running');
    if (clients.size >= maxRunning) throw new HearthError('busy', 'too many comparisons are running');
    clients.add(client);
    try {
      yield* compare(services, input, signal);
    } finally {
      clients.delete(client);
    }
  };
}

async function* compare(
  services: CompareServices,
  input: Reported<CompareInput>,
  signal: AbortSignal,
): ReturnType<Compare> {
  const text = input.text ?? (await import('./comparison-text.ts')).comparisonText;
  const chunks = await tokenizeForBoth(services.tokenize, { ...input, text }, signal);
  const total = chunks.length * 2;
  const folder = await mkdtemp(join(tmpdir(), `hearth-compare-${process.pid}-`));
  const file = await open(join(folder, 'distributions'), 'wx+', 0o600);
  try {
    const sums = new ComparisonSums();
    let completed = 0;
    for (let start = 0; start < chunks.length; ) {
      const lengths: number[] = [];
      let written = 0;
      for (const chunk of chunks.slice(start)) {
        const length = await writeBase(services.generate, { ...input, chunk, file, position: written, sums }, signal);
        written += length;
        lengths.push(length);
        yield { type: 'progress', completed: ++completed, total };
        if (written + length > maxFile) break;
      }
      let position = 0;
      for (const [index, length] of lengths.entries()) {
        const chunk = chunks[start + index] as readonly number[];
        await compareChunk(services.generate, { ...input, chunk, file, position, length, sums }, signal);
        position += length;
        yield { type: 'progress', completed: ++completed, total };
      }
      start += lengths.length;
    }
    yield { type: 'done', comparison: { chunks: chunks.length, ...sums.summarize() } };
  } finally {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function tokenizeForBoth(
  tokenize: Tokenize,
  { against, ...input }: Reported<CompareInput> & { readonly text: string },
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const read = (model: ModelInput['model'], text: string): Promise<readonly number[]> =>
    tokenize({ ...input, model, text, addSpecial: true, plain: true }, signal);
  const base = await read(against, input.text);
  const tokens = await read(input.model, input.text);
  if (tokens.length !== base.length || tokens.some((token, index) => token !== base[index]))
    throw new HearthError('bad_request', 'the models have different vocabularies and cannot be compared on a text');
  const [special] = await read(against, '');
  return cutChunks(tokens, special === tokens[0] ? special : undefined);
}

interface ChunkWork extends Reported<CompareInput> {
  readonly chunk: readonly number[];
  readonly file: FileHandle;
  /** Where its distributions are in the file. */
  readonly position: number;
  readonly sums: ComparisonSums;
}

/** Bytes of the distribution over the largest vocabulary. */
const maxRow = 2 ** 22;

/** Returns the number of bytes that were written. */
async function writeBase(generate: Generate, work: ChunkWork, signal: AbortSignal): Promise<number> {
  const { file, position, sums } = work;
  const asked = { from: firstScored, wantDistributions: true };
  let written = 0;
  let rowLength: number | undefined;
  for await (const event of askTokens(generate, { ...work, model: work.against }, asked, signal)) {
    const bytes = Buffer.from(event.distributions ?? '', 'base64');
    rowLength ??= bytes.length / event.tokens.length;
    if (rowLength > maxRow || bytes.length !== rowLength * event.tokens.length)
      throw new HearthError('request_failed', 'the distributions of the model have an unexpected length');
    await file.write(bytes, 0, bytes.length, position + written);
    written += bytes.length;
    sums.addBase(event.tokens);
  }
  return written;
}

async function compareChunk(
  generate: Generate,
  { length, ...work }: ChunkWork & { readonly length: number },
  signal: AbortSignal,
): Promise<void> {
  const { chunk, file, position, sums } = work;
  const rowLength = length / (chunkTokens - firstScored);
  const rows = Math.max(1, Math.floor(maxBaseline / rowLength));
  // Later parts find the earlier ones in the prefix cache.
  for (let from = firstScored; from < chunkTokens; from += rows) {
    const end = Math.min(from + rows, chunkTokens);
    const bytes = Buffer.alloc((end - from) * rowLength);
    await file.read(bytes, 0, bytes.length, position + (from - firstScored) * rowLength);
    const asked = { from, baseline: bytes.toString('base64') };
    for await (const { tokens } of askTokens(generate, { ...work, chunk: chunk.slice(0, end) }, asked, signal))
      sums.add(tokens);
  }
}

async function* askTokens(
  generate: Generate,
  { model, options, keepAlive, report, chunk }: Reported<ModelInput> & Pick<ChunkWork, 'chunk'>,
  asked: Omit<NonNullable<GenerationOptions['promptLogprobs']>, 'top'>,
  signal: AbortSignal,
): AsyncGenerator<{ readonly tokens: readonly PromptToken[]; readonly distributions?: string | undefined }> {
  const completion = { prompt: '', suffix: '', system: '', context: [], raw: true, encodedImages: [] };
  const prompt = { promptTokens: chunk, promptLogprobs: { top: 0, ...asked }, promptOnly: true, truncate: false };
  const events = generate({ model, options, keepAlive, report, ...completion, ...prompt }, signal);
  for await (const event of events) if (event.type === 'prompt-tokens') yield event;
}
