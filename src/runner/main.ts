// The runner: a child process that holds one model. It is told what to do over a pipe of its own (file descriptor
// 3) and ends when that pipe does, so that it never outlives its server. Standard error is llama.cpp's.

import { Socket } from 'node:net';
import { systemClock } from '../kernel/clock.ts';
import { HearthError, messageOf } from '../kernel/errors.ts';
import { createFrameReader, encodeFrame, longestCommand } from '../protocol/frames.ts';
import {
  type Command,
  type CountCommand,
  type GenerateCommand,
  type LoadCommand,
  protocolVersion,
  type RunnerEvent,
} from '../protocol/messages.ts';
import { createCandidates } from './candidates.ts';
import { type LoadedModel, loadModel } from './load-model.ts';
import { createOutbox } from './outbox.ts';
import { createPlaces } from './places.ts';
import { createPrefixShelf } from './prefix-shelf.ts';
import { countTokens } from './prompt.ts';
import { createStepLoop } from './step.ts';
import { toSequence } from './to-sequence.ts';

const channel = new Socket({ fd: 3, readable: true, writable: true });
const write = (event: RunnerEvent): void => {
  channel.write(encodeFrame(event));
};

let worker: Worker | undefined;
const unload = (): never => process.exit(0);

interface Worker {
  generate(command: GenerateCommand): void;
  count(command: CountCommand): void;
  cancel(id: number): void;
}

function createWorker(model: LoadedModel, { prefixCacheBytes }: LoadCommand): Worker {
  const { context, vocabulary, eyes, info } = model;
  const outbox = createOutbox(systemClock, write);
  const refuse = (id: number, error: unknown): void => {
    const code = error instanceof HearthError && error.code === 'bad_request' ? 'bad_request' : 'request_failed';
    outbox.send({ type: 'failed', id, code, message: messageOf(error) });
  };
  const sizes = { contextLength: info.contextLength, pictureTokens: eyes?.usualTokens ?? 0 };
  const count = ({ id, text, images }: CountCommand): void =>
    write({ type: 'counted', id, tokens: countTokens(vocabulary, text, { ...sizes, pictures: images ?? 0 }) });
  if (context === undefined) {
    const error = new HearthError('bad_request', 'the model was loaded with vocab_only and cannot generate');
    return { generate: ({ id }) => refuse(id, error), count, cancel: () => {} };
  }

  const shelf = createPrefixShelf(prefixCacheBytes);
  const places = createPlaces({ context, shelf, count: info.parallel, sharesPrefixes: model.sharesPrefixes });
  const { contextLength, batch: numBatch } = info;
  const loop = createStepLoop({ ...model, context, places, outbox, clock: systemClock, contextLength, numBatch });
  const sources = { ...model, context, candidates: createCandidates(model.api, vocabulary.size), contextLength };
  let running = false;

  // A step at a time, with a look at the pipe in between: that is when requests join and leave.
  const run = (): void => {
    if (loop.step()) {
      setImmediate(run);
      return;
    }
    running = false;
    outbox.flush();
    const pictures = eyes?.counters ?? { imagesEncoded: 0, imagesRecalled: 0 };
    const counters = { ...loop.counters, ...pictures, prefixesKept: shelf.kept, prefixesEvicted: shelf.evicted };
    outbox.send({ type: 'counters', counters });
  };
  return {
    generate(command) {
      try {
        loop.add(toSequence(sources, command));
      } catch (error) {
        refuse(command.id, error);
        return;
      }
      if (!running) setImmediate(run);
      running = true;
    },
    count,
    cancel: loop.cancel,
  };
}

async function load(command: LoadCommand): Promise<void> {
  try {
    const model = await loadModel(command, (devices) => write({ type: 'warming', devices }));
    worker = createWorker(model, command);
    write({ type: 'loaded', ...model.info });
  } catch (error) {
    write({ type: 'load-failed', message: messageOf(error) });
  }
}

function obey(command: Command): void {
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
    case 'cancel':
      worker?.cancel(command.id);
      return;
  }
}

channel.on(
  'data',
  createFrameReader({
    longest: longestCommand,
    onFrame: (value) => obey(value as Command),
    onGarbage: unload,
  }),
);
channel.on('end', unload);
channel.on('error', unload);
// Ctrl-C in a terminal goes to the whole group; it is the server who decides when a runner goes.
process.on('SIGINT', () => {});
write({ type: 'hello', protocol: protocolVersion });
