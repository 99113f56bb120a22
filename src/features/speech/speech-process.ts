// The process of a speech model from the server's side. However it ends, every request that depends on it is settled.

import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { type AsyncQueue, createAsyncQueue } from '../../base/async-queue.ts';
import { createDeferred } from '../../base/deferred.ts';
import { HearthError, requestCanceled } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { type ChildSettings, spawnChild } from '../../base/process/spawn-child.ts';
import type { Clock } from '../../base/time/clock.ts';
import { cpuTimeOf, createHeartbeat, createStopWatch, isStopped } from '../../inference/engine/process/heartbeat.ts';
import type { SpeechProcess } from '../../inference/engine/process/model-process.ts';
import { createStderrTail } from '../../inference/engine/process/stderr-tail.ts';
import type { SpeechRequest, TranscriptEvent } from '../../inference/model/transcript.ts';
import { createFrameReader, encodeFrame } from '../../inference/protocol/frames.ts';
import type { MemoryUse } from '../../inference/protocol/messages.ts';
import { maxSpeechBytes, parseSpeechMessage, type SpeechCommand, type SpeechOrder } from './speech-messages.ts';

interface SpeechProcessOptions {
  readonly script: string;
  readonly order: SpeechOrder;
  readonly childSettings: ChildSettings;
  /** What the load takes, as estimated. */
  readonly bytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds of silence until a process that does not use the processor is ended. */
  readonly responseTimeout?: number | undefined;
}

// Milliseconds from the request to exit to the kill.
const stopGraceMs = 3000;
const defaultResponseTimeout = 60_000;
// The process says something after every window, which takes large models many minutes on a busy machine.
const maxExtension = 120;

export class RunningSpeech implements SpeechProcess {
  readonly pid: number;
  readonly exited: Promise<HearthError | undefined>;
  /** Resolves when the model is loaded. Rejects with `load_failed` or `runner_died`. */
  readonly loaded: Promise<void>;
  readonly counters = undefined;
  readonly prefixBytes = undefined;
  readonly contextTokens = undefined;
  readonly memory: MemoryUse;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #clock: Clock;
  readonly #stderr: ReturnType<typeof createStderrTail>;
  readonly #ended = createDeferred<HearthError | undefined>();
  readonly #loading = createDeferred<void>();
  readonly #requests = new Map<number, AsyncQueue<TranscriptEvent>>();
  readonly #heartbeat: ReturnType<typeof createHeartbeat>;
  readonly #stopWatch: ReturnType<typeof createStopWatch>;
  #failure: HearthError | undefined;
  #isLoaded = false;
  #killReason: string | undefined;
  #isStopping = false;
  #lastId = 0;

  constructor(options: SpeechProcessOptions) {
    const {
      script,
      order,
      childSettings,
      bytes,
      clock,
      logger,
      responseTimeout: limit = defaultResponseTimeout,
    } = options;
    this.#clock = clock;
    this.memory = { totalBytes: bytes, deviceBytes: 0, devices: [] };
    this.exited = this.#ended.promise;
    this.loaded = this.#loading.promise;
    this.loaded.catch(() => {});
    this.#child = spawnChild(childSettings, {
      script,
      args: [JSON.stringify(order)],
      read: [order.modelPath],
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.pid = this.#child.pid ?? 0;
    this.#stderr = createStderrTail((line) => logger.debug(line, { speech: this.pid }));
    this.#channel = this.#child.stdio[3] as Duplex;
    const onFrame = (value: unknown): void => this.#receive(value);
    const onInvalid = (): void => this.#kill('it sent something that is not a message');
    const hasRequests = (): boolean => this.#isLoaded && this.#requests.size > 0;
    this.#heartbeat = createHeartbeat({
      ...{ clock, limit, maxExtension },
      hasWork: hasRequests,
      cpuTime: () => cpuTimeOf(this.pid),
      onHang: () => this.#kill('it did not respond'),
    });
    this.#stopWatch = createStopWatch({
      clock,
      hasWork: () => this.#failure === undefined && (!this.#isLoaded || hasRequests()),
      isStopped: () => isStopped(this.pid),
      onStop: () => this.#kill('a signal had stopped it'),
    });
    this.#stopWatch.start();
    this.#channel.on('data', createFrameReader({ maxBytes: maxSpeechBytes, onFrame, onInvalid }));
    this.#channel.on('error', () => {});
    (this.#child.stderr as Readable).setEncoding('utf8').on('data', (chunk: string) => this.#stderr.feed(chunk));
    this.#child.on('error', (error) => this.#end(error.message));
    this.#child.on('close', (code, signal) => this.#end(signal ? `signal ${signal}` : `exit code ${code}`));
  }

  /** Speech has no prefixes. */
  limitPrefixes(): void {}

  async *transcribe({ audio, ...request }: SpeechRequest, signal: AbortSignal): AsyncGenerator<TranscriptEvent> {
    if (signal.aborted) throw requestCanceled();
    if (this.#failure !== undefined) throw this.#failure;
    const id = ++this.#lastId;
    const events = createAsyncQueue<TranscriptEvent>();
    this.#requests.set(id, events);
    const onAbort = (): void => events.fail(requestCanceled());
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      this.#send({ type: 'transcribe', id, audio: Buffer.from(audio).toString('base64'), ...request });
      for await (const event of events) {
        yield event;
        if (event.type === 'done') return;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (this.#requests.delete(id)) this.#send({ type: 'cancel', id });
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#channel.end();
    const timer = this.#clock.after(stopGraceMs, () => void this.#child.kill('SIGKILL'));
    await this.exited;
    timer.cancel();
  }

  #send(command: SpeechCommand): void {
    if (this.#failure !== undefined || this.#isStopping) return;
    this.#channel.write(encodeFrame(command));
    this.#heartbeat.start();
    this.#stopWatch.start();
  }

  #receive(value: unknown): void {
    const message = parseSpeechMessage(value);
    this.#heartbeat.touch();
    switch (message?.type) {
      case 'loaded':
        this.#isLoaded = true;
        this.#loading.resolve();
        return;
      case 'failed':
        this.#loading.reject(new HearthError('load_failed', this.#withCause(message.message)));
        return;
      case 'event':
        this.#requests.get(message.id)?.push(message.event);
        return;
      case 'error': {
        const { id, isRefused } = message;
        this.#requests.get(id)?.fail(new HearthError(isRefused ? 'bad_request' : 'request_failed', message.message));
        this.#requests.delete(id);
        return;
      }
      case 'progress':
        return;
      default:
        this.#kill('it sent something that is not a message');
    }
  }

  #kill(reason: string): void {
    this.#killReason ??= reason;
    this.#child.kill('SIGKILL');
  }

  #withCause(message: string): string {
    const cause = this.#stderr.lastError();
    return cause === undefined ? message : `${message}: ${cause}`;
  }

  #end(how: string): void {
    const why = this.#killReason ?? this.#withCause(how);
    this.#heartbeat.stop();
    this.#stopWatch.stop();
    this.#failure ??= this.#isStopping
      ? new HearthError('shutting_down', 'the model was unloaded')
      : new HearthError('runner_died', `the process of the speech model has terminated: ${why}`);
    this.#loading.reject(this.#failure);
    for (const events of this.#requests.values()) events.fail(this.#failure);
    this.#requests.clear();
    this.#ended.resolve(this.#isStopping ? undefined : this.#failure);
  }
}
