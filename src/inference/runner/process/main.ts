// The runner: a child process that holds one model. Commands arrive on file descriptor 3. The process ends when that
// pipe ends, and with its server also in the middle of a pass. Standard error belongs to llama.cpp.

import { Socket } from 'node:net';
import { lowerPriority, prioritySteps } from '../../../base/process/lower-priority.ts';
import { createFrameReader, encodeFrame, maxCommand } from '../../protocol/frames.ts';
import { protocolVersion, type RunnerCommand, type RunnerEvent } from '../../protocol/messages.ts';
import { endWithServer } from '../sandbox/end-with-server.ts';
import { createCommandHandler } from './command-handler.ts';
import { loadModel } from './load-model.ts';

endWithServer();
lowerPriority(prioritySteps.model);

const channel = new Socket({ fd: 3, readable: true, writable: true });
const write = (event: RunnerEvent): void => {
  channel.write(encodeFrame(event));
};
const exit = (): never => process.exit(0);
const { handle, close } = createCommandHandler({ write, loadModel });
// The server kills a runner that takes too long.
const finish = (): void => void close().then(exit, exit);

channel.on(
  'data',
  createFrameReader({
    maxBytes: maxCommand,
    onFrame: (value) => handle(value as RunnerCommand),
    onInvalid: exit,
  }),
);
channel.on('end', finish);
channel.on('error', exit);
// Ctrl-C in a terminal reaches the entire process group. The server decides when a runner ends.
process.on('SIGINT', () => {});
write({ type: 'hello', protocol: protocolVersion });
