// A runner from the server's side: a child process that loads a model and serves requests. However it ends, every
// promise and stream that depends on it is settled.

import type { Duplex, Readable } from 'node:stream';
import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { type ChildSettings, spawnChild } from '../../../base/process/spawn-child.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { isRunnerEvent } from '../../protocol/check-event.ts';
import type { Counters } from '../../protocol/counters.ts';
import { createFrameReader, maxEvent } from '../../protocol/frames.ts';
import {
  type BlocksEvent,
  type DeviceInfo,
  type LoadCommand,
  type LoadedEvent,
  type MemoryEvent,
  type MemoryUse,
  protocolVersion,
  type RunnerCommand,
  type RunnerEvent,
} from '../../protocol/messages.ts';
import { createCommandWriter } from './command-writer.ts';
import { isGpuMemoryFailure } from './gpu-memory-failure.ts';
import { cpuTimeOf, createHeartbeat, createStallWatch, createStopWatch, isStopped } from './heartbeat.ts';
import type { ModelProcess } from './model-process.ts';
import { createRunnerCalls, type RunnerCalls } from './runner-calls.ts';
import { createRunnerRequests } from './runner-requests.ts';
import { createStderrTail } from './stderr-tail.ts';

export interface RunnerProcess extends RunnerCalls, ModelProcess {
  /** Resolves when the model is ready; rejects with `load_failed` or `runner_died`. To be called once. */
  load(command: LoadCommand): Promise<LoadedEvent>;
  /** Whether its backends are loaded. */
  readonly opened: boolean;
  /** The last line of its log that reports a failed allocation on a GPU. */
  readonly memoryFailure: string | undefined;
  /** The GPUs in use, during the first decode only. */
  readonly warmingOn: readonly DeviceInfo[] | undefined;
}

interface RunnerProcessOptions {
  /** The script that the child runs. */
  readonly script: string;
  /** The files of the model: all that a sandboxed child may read besides programs and drivers. */
  readonly files?: readonly string[];
  /** Folders in which it may create, write and remove files. */
  readonly folders?: readonly string[];
  readonly usesGpu?: boolean;
  readonly childSettings?: ChildSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds without any output while loading, after which the runner is killed. */
  readonly loadTimeout: number;
  /** Milliseconds without an answer to a ping while it has work, after which a loaded runner is killed. */
  readonly responseTimeout?: number;
  /** Called when the runner has written a file of the prefix cache. */
  readonly onStored?: () => void;
  /** Called when its prefix cache has other tokens. */
  readonly onBlocks?: (change: BlocksEvent) => void;
}

// Milliseconds from the request to exit to the kill: longer than a step of a large model.
const stopGrace = 3000;
const defaultResponseTimeout = 60_000;

export function startRunner({
  script,
  files = [],
  folders = [],
  usesGpu,
  childSettings = {},
  clock,
  logger,
  loadTimeout,
  responseTimeout = defaultResponseTimeout,
  onStored = () => {},
  onBlocks = () => {},
}: RunnerProcessOptions): RunnerProcess {
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe'] as const;
  const child = spawnChild(childSettings, { script, read: files, folders, usesGpu, stdio: [...stdio] });
  const channel = child.stdio[3] as Duplex;
  const stderr = createStderrTail((line) => logger.debug(line, { runner: child.pid }));
  const requests = createRunnerRequests();
  const loading = createDeferred<LoadedEvent>();
  const exited = createDeferred<HearthError | undefined>();
  const stall = createStallWatch(clock, loadTimeout, () => kill('timed out waiting for llama runner to start'));
  let hasExited = false;
  let isLoaded = false;
  let stopping = false;
  let killReason: string | undefined;
  let opened = false;
  let warmingOn: readonly DeviceInfo[] | undefined;
  let counters: Counters | undefined;
  let prefixBytes = 0;
  let memory: MemoryUse | undefined;
  // A runner can die before `load` is called. The rejection must not end the server.
  loading.promise.catch(() => {});

  const heartbeat = createHeartbeat({
    clock,
    limit: responseTimeout,
    hasWork: () => isLoaded && requests.hasOpen(),
    ping: () => writer.write({ type: 'ping' }),
    cpuTime: () => cpuTimeOf(child.pid ?? 0),
    onHang: () => kill('it did not respond'),
  });
  const stopWatch = createStopWatch({
    clock,
    hasWork: () => !hasExited && (!isLoaded || requests.hasOpen()),
    isStopped: () => isStopped(child.pid ?? 0),
    onStop: () => kill('a signal had stopped it'),
  });
  const writer = createCommandWriter(channel, { onProgress: heartbeat.touch });
  const send = (command: RunnerCommand): void => {
    writer.write(command);
    heartbeat.start();
    stopWatch.start();
  };

  function kill(reason: string): void {
    killReason ??= reason;
    child.kill('SIGKILL');
  }

  function handle(event: RunnerEvent): boolean {
    switch (event.type) {
      case 'hello':
        return event.protocol === protocolVersion;
      case 'opened':
        opened = true;
        return true;
      case 'warming':
        opened = true;
        warmingOn = event.devices;
        return true;
      case 'loaded':
        warmingOn = undefined;
        isLoaded = true;
        stall.stop();
        stderr.clear();
        loading.resolve(event);
        return true;
      case 'load-failed':
        stall.stop();
        loading.reject(new HearthError('load_failed', withDetail(event.message, stderr.lastError())));
        return true;
      case 'memory':
        memory = toMemory(event);
        return true;
      case 'counters':
        counters = event.counters;
        return true;
      case 'prefixes':
        prefixBytes = event.bytes;
        return true;
      case 'stored':
        onStored();
        return true;
      case 'blocks':
        onBlocks(event);
        return true;
      default:
        return requests.route(event);
    }
  }

  function onFrame(value: unknown): void {
    stall.touch();
    heartbeat.touch();
    if (!isRunnerEvent(value)) kill('it sent something that is not a message');
    else if (!handle(value)) kill(`it sent "${value.type}" out of order`);
  }

  function onExit(how: string): void {
    hasExited = true;
    stall.stop();
    heartbeat.stop();
    stopWatch.stop();
    writer.close();
    const requested = stopping && killReason === undefined;
    const why = killReason ?? withDetail(how, stderr.lastError());
    const error = requested
      ? new HearthError('shutting_down', 'the model was unloaded')
      : new HearthError('runner_died', `llama runner process has terminated: ${why}`);
    loading.reject(error);
    requests.abortAll(error);
    exited.resolve(requested ? undefined : error);
  }

  const onInvalid = (reason: string): void => kill(`it sent an invalid frame: ${reason}`);
  channel.on('data', createFrameReader({ maxBytes: maxEvent, onFrame, onInvalid }));
  channel.on('error', () => {});
  (child.stderr as Readable).setEncoding('utf8').on('data', (chunk: string) => {
    stall.touch();
    stderr.feed(chunk);
  });
  child.on('error', (error) => onExit(error.message));
  // 'close', not 'exit': at 'close', all output of the child has been read.
  child.on('close', (code, signal) => onExit(signal ? `signal ${signal}` : `exit code ${code}`));

  return {
    ...createRunnerCalls({ requests, send, withdraw: writer.withdraw, hasExited: () => hasExited }),
    limitPrefixes: (maxBytes) => writer.write({ type: 'limit-prefixes', maxBytes }),
    pid: child.pid ?? 0,
    exited: exited.promise,
    get memory() {
      return memory;
    },
    get counters() {
      return counters;
    },
    get prefixBytes() {
      return prefixBytes;
    },
    get contextTokens() {
      return requests.contextTokens();
    },
    get opened() {
      return opened;
    },
    get memoryFailure() {
      return stderr.findLast(isGpuMemoryFailure);
    },
    get warmingOn() {
      return warmingOn;
    },
    load(command) {
      stall.start();
      send(command);
      return loading.promise;
    },
    async stop() {
      stopping = true;
      writer.close();
      channel.end();
      const timer = clock.after(stopGrace, () => child.kill('SIGKILL'));
      await exited.promise;
      timer.cancel();
    },
  };
}

function toMemory({ type: _, ...memory }: MemoryEvent): MemoryUse {
  return memory;
}

function withDetail(message: string, detail: string | undefined): string {
  return detail === undefined ? message : `${message}: ${detail}`;
}
