// A process that converts one checkpoint or adapter to a GGUF file: `convert.js [attached]`. Attached: it ends with its
// server. The order comes as JSON on standard input, progress and the result leave as lines of JSON on standard output.
// The files may come from anywhere, so they are not read in the server itself.

import { readFileSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { lowerPriority, prioritySteps } from '../../base/process/lower-priority.ts';
import { toProgramFailure } from '../../base/process/program-failure.ts';
import { convertAdapter } from '../../formats/checkpoint/convert-adapter.ts';
import { convertCheckpoint } from '../../formats/checkpoint/convert-checkpoint.ts';
import type { CheckpointFile } from '../../formats/checkpoint/files/checkpoint-folder.ts';
import type { GgufStream } from '../../formats/checkpoint/gguf-stream.ts';
import { convertProjector } from '../../formats/checkpoint/vision/convert-projector.ts';
import { endWithServer } from '../../inference/runner/sandbox/end-with-server.ts';
import type { ConvertOrder } from '../../server/services/create/model-sources.ts';
import type { ConvertMessage } from './convert-messages.ts';

const standardInput = 0;
const standardOutput = 1;
/** Progress is sent after this many bytes. */
const reportBytes = 4 * 2 ** 20;

function send(message: ConvertMessage): void {
  writeSync(standardOutput, `${JSON.stringify(message)}\n`);
}

async function openFile(name: string, path: string, handles: FileHandle[]): Promise<CheckpointFile> {
  const handle = await open(path, 'r');
  handles.push(handle);
  const { size } = await handle.stat();
  return {
    name,
    size,
    async read(offset, length) {
      const bytes = Buffer.allocUnsafe(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
        if (bytesRead === 0) throw new Error(`${name} became shorter while it was read`);
        done += bytesRead;
      }
      return bytes;
    },
  };
}

async function write({ bytes: total, chunks }: GgufStream, target: string): Promise<void> {
  const file = await open(target, 'w');
  try {
    let done = 0;
    let reported = 0;
    send({ kind: 'progress', done, total });
    for await (const chunk of chunks()) {
      // One call of write may take a part only.
      await file.writeFile(chunk);
      done += chunk.length;
      if (done - reported < reportBytes && done < total) continue;
      reported = done;
      send({ kind: 'progress', done, total });
    }
  } finally {
    await file.close();
  }
}

async function convert({ files, target, name, base, part }: ConvertOrder): Promise<void> {
  const handles: FileHandle[] = [];
  try {
    const opened: CheckpointFile[] = [];
    for (const file of files) opened.push(await openFile(file.name, file.path, handles));
    if (base !== undefined) {
      await write(await convertAdapter(opened, { name, base }), target);
      send({ kind: 'done' });
    } else if (part === 'projector') {
      await write(await convertProjector(opened, { name }), target);
      send({ kind: 'done' });
    } else {
      const converted = await convertCheckpoint(opened, { name });
      await write(converted, target);
      const { maxTokens, hasVision } = converted;
      send({ kind: 'done', maxTokens, hasVision });
    }
  } finally {
    for (const handle of handles) await handle.close();
  }
}

function reportFailure(error: unknown): void {
  send(toProgramFailure(error));
  process.exitCode = 1;
}

if (process.argv[2] === 'attached') endWithServer();
lowerPriority(prioritySteps.conversion);
const readOrder = async (): Promise<ConvertOrder> => JSON.parse(readFileSync(standardInput, 'utf8')) as ConvertOrder;
readOrder().then(convert).catch(reportFailure);
