// The runner: a child process that holds one model. It is told what to do over a pipe of its own (file descriptor
// 3) and ends when that pipe does, so that it never outlives its server. Standard error is llama.cpp's.

import { Socket } from 'node:net';
import { messageOf } from '../../base/errors.ts';
import { createFrameReader, encodeFrame, maxCommand } from '../protocol/frames.ts';
import { type LoadCommand, protocolVersion, type RunnerCommand, type RunnerEvent } from '../protocol/messages.ts';
import { loadModel } from './load-model.ts';
import { createWorker, type Worker } from './worker.ts';

const channel = new Socket({ fd: 3, readable: true, writable: true });
const write = (event: RunnerEvent): void => {
  channel.write(encodeFrame(event));
};

let worker: Worker | undefined;
const unload = (): never => process.exit(0);

async function load(command: LoadCommand): Promise<void> {
  try {
    const model = await loadModel(command, {
      onWarming: (devices) => write({ type: 'warming', devices }),
      onMemory(memory) {
        // Zero: the log has no buffers. The server then keeps its estimate.
        if (memory.totalBytes > 0) write({ type: 'memory', ...memory });
      },
    });
    worker = createWorker(model, { prefixCacheBytes: command.prefixCacheBytes, write });
    write({ type: 'loaded', ...model.info });
  } catch (error) {
    write({ type: 'load-failed', message: messageOf(error) });
  }
}

function obey(command: RunnerCommand): void {
  switch (command.type) {
    case 'load':
      void load(command);
      return;
    case 'generate':
      worker?.generate(command);
      return;
    case 'count':
      worker?.count(command);
      return;
    case 'tokenize':
      worker?.tokenize(command);
      return;
    case 'detokenize':
      worker?.detokenize(command);
      return;
    case 'embed':
      worker?.embed(command);
      return;
    case 'cancel':
      worker?.cancel(command.id);
      return;
    case 'ping':
      write({ type: 'pong' });
      return;
  }
}

channel.on(
  'data',
  createFrameReader({
    maxBytes: maxCommand,
    onFrame: (value) => obey(value as RunnerCommand),
    onInvalid: unload,
  }),
);
channel.on('end', unload);
channel.on('error', unload);
// Ctrl-C in a terminal goes to the whole group; it is the server who decides when a runner goes.
process.on('SIGINT', () => {});
write({ type: 'hello', protocol: protocolVersion });
