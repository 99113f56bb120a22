// A runner as the server sees it: a child process that is started, loads, works on requests and ends. Whatever
// happens to it, every promise and every stream that waits for it comes to an end.

import { spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { isRunnerEvent } from '../../protocol/check-event.ts';
import type { Counters } from '../../protocol/counters.ts';
import { createFrameReader, encodeFrame, maxEvent } from '../../protocol/frames.ts';
import {
  type Command,
  type DeviceInfo,
  type GenerateCommand,
  type LoadCommand,
  type LoadedEvent,
  type MemoryUse,
  protocolVersion,
  type RunnerEvent,
} from '../../protocol/messages.ts';
import type { Embeddings, EmbedRequest, GenerateEvent } from '../ports.ts';
import { createRequestTable } from './runner-requests.ts';
import { createStallWatch } from './stall-watch.ts';
import { createStderrTail } from './stderr-tail.ts';

export interface RunnerProcess {
  readonly pid: number;
  /** Resolves when the model can be used; rejects with `load_failed` or `runner_died`. Once. */
  load(command: LoadCommand): Promise<LoadedEvent>;
  generate(command: Omit<GenerateCommand, 'type' | 'id'>, signal: AbortSignal): AsyncIterable<GenerateEvent>;
  /** `onFirst` is called when the first vectors have come. */
  embed(request: EmbedRequest, signal: AbortSignal, onFirst?: () => void): Promise<Embeddings>;
  /** How many tokens a text is for this model; one that is far too long is not counted to its end. */
  countTokens(text: string, images?: number): Promise<number>;
  tokenize(text: string, options: { readonly addSpecial: boolean }): Promise<readonly number[]>;
  detokenize(tokens: readonly number[]): Promise<string>;
  /** Asks it to go, and makes it go if it does not. */
  stop(): Promise<void>;
  /** Resolves when the process is gone, with what it died of if it was not asked to go. */
  readonly exited: Promise<HearthError | undefined>;
  /** undefined until the runner reports it. */
  readonly memory: MemoryUse | undefined;
  readonly counters: Counters | undefined;
  /** The GPUs that it computes on for the first time, from the moment it starts to until it has. */
  readonly warmingOn: readonly DeviceInfo[] | undefined;
}

export interface RunnerProcessOptions {
  /** The script that the child runs. */
  readonly script: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds without any sign of life while loading, after which it is given up. */
  readonly loadTimeout: number;
}

// From being asked to go to being made to: longer than a step of a large model.
const stopGrace = 3000;

export function startRunner({ script, clock, logger, loadTimeout }: RunnerProcessOptions): RunnerProcess {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], windowsHide: true });
  const channel = child.stdio[3] as Duplex;
  const stderr = createStderrTail((line) => logger.debug(line, { runner: child.pid }));
  const requests = createRequestTable();
  const loading = createDeferred<LoadedEvent>();
  const exited = createDeferred<HearthError | undefined>();
  const stall = createStallWatch(clock, loadTimeout, () => condemn('timed out waiting for llama runner to start'));
  let gone = false;
  let stopping = false;
  let verdict: string | undefined;
  let warmingOn: readonly DeviceInfo[] | undefined;
  let counters: Counters | undefined;
  let memory: MemoryUse | undefined;
  // Whoever loads looks at it; a runner that dies unasked must not take the server along.
  loading.promise.catch(() => {});

  const send = (command: Command): void => {
    if (!gone) channel.write(encodeFrame(command));
  };

  function condemn(reason: string): void {
    verdict ??= reason;
    child.kill('SIGKILL');
  }

  function obey(event: RunnerEvent): boolean {
    switch (event.type) {
      case 'hello':
        return event.protocol === protocolVersion;
      case 'warming':
        warmingOn = event.devices;
        return true;
      case 'loaded':
        warmingOn = undefined;
        stall.stop();
        stderr.clear();
        loading.resolve(event);
        return true;
      case 'load-failed':
        stall.stop();
        loading.reject(new HearthError('load_failed', withDetail(event.message, stderr.lastError())));
        return true;
      case 'memory':
        memory = { totalBytes: event.totalBytes, deviceBytes: event.deviceBytes };
        return true;
      case 'counters':
        counters = event.counters;
        return true;
      default:
        return requests.route(event);
    }
  }

  function onFrame(value: unknown): void {
    stall.touch();
    if (!isRunnerEvent(value)) condemn('it sent something that is not a message');
    else if (!obey(value)) condemn(`it sent "${value.type}" when that could not come`);
  }

  function onGone(how: string): void {
    gone = true;
    stall.stop();
    const asked = stopping && verdict === undefined;
    const why = verdict ?? withDetail(how, stderr.lastError());
    const error = asked
      ? new HearthError('shutting_down', 'the model was unloaded')
      : new HearthError('runner_died', `llama runner process has terminated: ${why}`);
    loading.reject(error);
    requests.abandonAll(error);
    exited.resolve(asked ? undefined : error);
  }

  const onGarbage = (reason: string): void => condemn(`it sent garbage: ${reason}`);
  channel.on('data', createFrameReader({ longest: maxEvent, onFrame, onGarbage }));
  channel.on('error', () => {});
  (child.stderr as Readable).setEncoding('utf8').on('data', (chunk: string) => {
    stall.touch();
    stderr.feed(chunk);
  });
  child.on('error', (error) => onGone(error.message));
  // 'close', not 'exit': by then everything that the child wrote has been read.
  child.on('close', (code, signal) => onGone(signal ? `signal ${signal}` : `exit code ${code}`));

  return {
    pid: child.pid ?? 0,
    exited: exited.promise,
    get memory() {
      return memory;
    },
    get counters() {
      return counters;
    },
    get warmingOn() {
      return warmingOn;
    },
    load(command) {
      stall.start();
      send(command);
      return loading.promise;
    },
    async *generate(command, signal) {
      if (gone) throw terminated();
      if (signal.aborted) throw cancelled();
      const { id, stream } = requests.open();
      const abandon = (): void => stream.abandon(cancelled());
      signal.addEventListener('abort', abandon, { once: true });
      try {
        send({ type: 'generate', id, ...command });
        yield* stream;
      } finally {
        signal.removeEventListener('abort', abandon);
        requests.close(id);
        if (!stream.complete) send({ type: 'cancel', id });
      }
    },
    async embed({ texts, truncate }, signal, onFirst) {
      if (gone) throw terminated();
      if (signal.aborted) throw cancelled();
      const { id, collector } = requests.openEmbed(texts.length, onFirst);
      const abandon = (): void => collector.abandon(cancelled());
      signal.addEventListener('abort', abandon, { once: true });
      try {
        if (texts.length > 0) send({ type: 'embed', id, texts, truncate });
        return await collector.embeddings;
      } finally {
        signal.removeEventListener('abort', abandon);
        requests.close(id);
        if (!collector.complete) send({ type: 'cancel', id });
      }
    },
    async countTokens(text, images = 0) {
      if (gone) throw terminated();
      const { id, answer } = requests.openQuestion('counted');
      send({ type: 'count', id, text, images });
      return (await answer).tokens;
    },
    async tokenize(text, { addSpecial }) {
      if (gone) throw terminated();
      const { id, answer } = requests.openQuestion('tokenized');
      send({ type: 'tokenize', id, text, addSpecial });
      return (await answer).tokens;
    },
    async detokenize(tokens) {
      if (gone) throw terminated();
      const { id, answer } = requests.openQuestion('detokenized');
      send({ type: 'detokenize', id, tokens });
      return (await answer).text;
    },
    async stop() {
      stopping = true;
      channel.end();
      const timer = clock.after(stopGrace, () => child.kill('SIGKILL'));
      await exited.promise;
      timer.cancel();
    },
  };
}

function terminated(): HearthError {
  return new HearthError('runner_died', 'llama runner process has terminated');
}

function cancelled(): HearthError {
  return new HearthError('cancelled', 'request canceled');
}

function withDetail(message: string, detail: string | undefined): string {
  return detail === undefined ? message : `${message}: ${detail}`;
}
