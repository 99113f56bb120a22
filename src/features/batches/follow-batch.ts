// Uploads the questions of a file, shows how far the batch is, and writes the answers.

import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HearthError } from '../../base/errors.ts';
import { createLineSplitter } from '../../base/text/line-splitter.ts';
import { pause } from '../../base/time/pause.ts';
import { type CliContext, exitCodes } from '../../cli/command.ts';
import { safeLine } from '../../cli/output/format.ts';
import { showProgress } from '../../cli/progress/show-progress.ts';
import type { HearthClient } from '../../client/client.ts';
import { type BatchBody, batchEndpoints } from './batches-schema.ts';

interface BatchChoice {
  /** Either a file, or the id of a batch. */
  readonly file: string | undefined;
  readonly id: string | undefined;
  /** Absent: the answers go to the terminal. */
  readonly output: string | undefined;
  readonly cancel: boolean;
}

const pollMs = 500;
const longestWindow = '168h';
const maxFirstLine = 4 * 2 ** 20;

/** The exit code is 1 if a line has failed, or all of them. */
export async function followBatch(context: CliContext, { file, id, output, cancel }: BatchChoice): Promise<number> {
  const client = await context.connect();
  const begun = file === undefined ? await client.batches.show(id ?? '', context.signal) : await begin(context, file);
  if (cancel) await client.batches.cancel(begun.id, context.signal);
  const batch = await waitFor(context, client, begun);
  for (const fileId of [batch.output_file_id, batch.error_file_id])
    if (fileId !== null)
      await write(
        context,
        await client.batches.content(fileId, context.signal),
        output,
        fileId === batch.output_file_id,
      );
  return report(context, batch);
}

async function begin({ connect, signal }: CliContext, path: string): Promise<BatchBody> {
  const client = await connect();
  const endpoint = await endpointOf(path);
  const { size: bytes } = await stat(path);
  const uploaded = await client.batches.upload({ name: basename(path), source: createReadStream(path), bytes }, signal);
  return client.batches.create({ input_file_id: uploaded.id, endpoint, completion_window: longestWindow }, signal);
}

/** All lines of a batch ask the same route. */
async function endpointOf(path: string): Promise<BatchBody['endpoint'] & (typeof batchEndpoints)[number]> {
  const tooLong = (): Error => new HearthError('bad_request', `${path}: the first line is too long`);
  const splitter = createLineSplitter({ maxBytes: maxFirstLine, tooLong });
  let line: string | undefined;
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    [line] = splitter.push(chunk);
    if (line !== undefined) break;
  }
  line ??= splitter.end()[0] ?? '';
  let url: unknown;
  try {
    ({ url } = JSON.parse(line) as { readonly url?: unknown });
  } catch {
    throw new HearthError('bad_request', `${path}: the first line is not JSON`);
  }
  const endpoint = batchEndpoints.find((known) => known === url);
  if (endpoint !== undefined) return endpoint;
  throw new HearthError('bad_request', `${path}: url of the first line must be one of ${batchEndpoints.join(', ')}`);
}

async function waitFor(
  { terminal, clock, signal }: CliContext,
  client: HearthClient,
  begun: BatchBody,
): Promise<BatchBody> {
  const progress = showProgress({ screen: terminal.stderr, clock });
  let batch = begun;
  try {
    while (!['failed', 'completed', 'expired', 'cancelled'].includes(batch.status)) {
      const { total, completed, failed } = batch.request_counts;
      progress.update({ status: `${batch.status.replace('_', ' ')}: ${completed + failed} of ${total} lines` });
      await pause(clock, pollMs, { keepsProcessAlive: true });
      if (signal.aborted) throw new HearthError('cancelled', `the batch goes on: hearth batch --id ${batch.id}`);
      batch = await client.batches.show(batch.id, signal);
    }
  } finally {
    progress.end();
  }
  return batch;
}

async function write(
  { terminal }: CliContext,
  content: Readable,
  output: string | undefined,
  isFirst: boolean,
): Promise<void> {
  if (output !== undefined) return pipeline(content, createWriteStream(output, { flags: isFirst ? 'w' : 'a' }));
  for await (const chunk of content) terminal.stdout.write(String(chunk));
}

function report({ terminal }: CliContext, { id, status, errors, request_counts: counts }: BatchBody): number {
  const { total, completed, failed } = counts;
  for (const { line, message } of errors?.data ?? [])
    terminal.stderr.write(`${line === null ? '' : `line ${line}: `}${safeLine(message)}\n`);
  const left = total - completed - failed;
  const others = left > 0 ? `, ${left} not asked` : '';
  terminal.stderr.write(`Batch ${id} ${status}: ${completed} answers, ${failed} failed${others}\n`);
  return status === 'completed' && failed === 0 ? exitCodes.success : exitCodes.failure;
}
