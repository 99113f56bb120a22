// Lets the server compute an importance matrix, and writes its file here.

import { constants, createWriteStream } from 'node:fs';
import { access, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HearthError } from '../../base/errors.ts';
import { describeSystemError } from '../../base/process/system-error.ts';
import type { CliContext } from '../../cli/command.ts';
import { findModel } from '../../cli/models/find-model.ts';
import { formatByteSize, formatJson, safeLine, safeText } from '../../cli/output/format.ts';
import { showProgress } from '../../cli/progress/show-progress.ts';
import type { HearthClient } from '../../client/client.ts';
import type { ImatrixDoneBody } from './imatrix-schema.ts';

interface ImatrixChoice {
  readonly model: string;
  /** The path of the text. */
  readonly text: string;
  /** The path of the result. */
  readonly output: string;
  readonly maxChunks: number | undefined;
  readonly json: boolean;
}

/** As the server accepts. */
const maxTextBytes = 8 * 2 ** 20;
const maxName = 200;

export async function runImatrix(context: CliContext, choice: ImatrixChoice): Promise<void> {
  const { terminal, signal } = context;
  const { output } = choice;
  const text = await readText(choice.text);
  await checkFolder(output);
  const client = await context.connect();
  const { model } = await findModel(context, choice.model);
  const name = basename(choice.text).slice(-maxName);
  const { status: _, ...done } = await compute(context, client, { model, text, name, max_chunks: choice.maxChunks });
  await download(client, { digest: done.digest, output }, signal);
  if (choice.json) return void terminal.stdout.write(formatJson({ ...done, output }));
  const { tokens, matrices, size } = done;
  terminal.stdout.write(
    `Wrote ${safeLine(output)} (${formatByteSize(size)}): ${matrices} matrices of ${safeLine(model)}, over ${tokens} tokens\n`,
  );
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > maxTextBytes)
      throw new HearthError('bad_request', `the text ${safeText(path)} has more than ${maxTextBytes} bytes`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof HearthError) throw error;
    throw new HearthError('bad_request', `cannot read the text ${safeText(path)}: ${describeSystemError(error)}`);
  }
}

/** Before minutes of work, not after them. */
async function checkFolder(output: string): Promise<void> {
  try {
    await access(dirname(resolve(output)), constants.W_OK);
  } catch (error) {
    throw new HearthError('bad_request', `cannot write ${safeText(output)}: ${describeSystemError(error)}`);
  }
}

async function compute(
  { terminal, clock, signal }: CliContext,
  client: HearthClient,
  request: Parameters<HearthClient['computeImatrix']>[0],
): Promise<ImatrixDoneBody> {
  const progress = showProgress({ screen: terminal.stderr, clock });
  try {
    for await (const part of client.computeImatrix(request, signal)) {
      if (part.status === 'success') return part;
      // A bar with a digest of zeros counts things that are not bytes.
      progress.update({
        ...part,
        status: `computing the importance matrix of ${safeLine(request.model ?? '')}`,
        digest: '0',
      });
    }
  } finally {
    progress.end();
  }
  throw new HearthError('request_failed', 'the server has not finished the importance matrix');
}

/** The file is complete, or it is not there. */
async function download(
  client: HearthClient,
  { digest, output }: { readonly digest: string; readonly output: string },
  signal: AbortSignal,
): Promise<void> {
  const temporary = `${output}.${process.pid}`;
  try {
    await pipeline(await client.imatrix(digest, signal), createWriteStream(temporary, { flags: 'wx' }), { signal });
    await rename(temporary, output);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
