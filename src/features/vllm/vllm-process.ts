// vLLM from the server's side: a process with a guard that ends it together with the server. However it ends, `exited` is
// settled.

import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { createDeferred } from '../../base/deferred.ts';
import { HearthError } from '../../base/errors.ts';
import { asObject, parseJson } from '../../base/json-values.ts';
import type { Logger } from '../../base/logger.ts';
import { startProcess } from '../../base/process/spawn-child.ts';
import type { Clock, Timer } from '../../base/time/clock.ts';
import { createStallWatch } from '../../inference/engine/process/heartbeat.ts';
import type { HostedProcess, Sleeper, SleepFigures } from '../../inference/engine/process/model-process.ts';
import type { MemoryFigures } from '../../inference/engine/residency/residency-state.ts';
import type { MemoryUse } from '../../inference/protocol/messages.ts';
import { askLocal } from './ask-local.ts';
import { measureGroup } from './group-memory.ts';
import { type GuardOrder, guardChannel } from './guard-messages.ts';
import { causeIn, LogLines, levelOf, plainLine, stepOf } from './read-log.ts';
import { setAsleep } from './vllm-sleep.ts';

interface VllmOptions extends GuardOrder {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly address: Pick<HostedProcess, 'url' | 'servedModel' | 'key'>;
  /** The model's name, for messages. */
  readonly name: string;
  readonly estimated: MemoryFigures;
  readonly report: (step: string) => void;
  /** The guard. */
  readonly script: string;
  readonly loadTimeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const lookIntervalMs = 10_000;
// A busy process may be slow to answer.
const looksUntilDead = 3;

export class VllmProcess implements HostedProcess {
  readonly url: string;
  readonly servedModel: string;
  readonly key: string;
  readonly exited: Promise<HearthError | undefined>;
  readonly counters = undefined;
  readonly prefixBytes = undefined;
  readonly contextTokens = undefined;
  memory: MemoryUse | undefined;
  sleeper: Sleeper | undefined;
  /** Why it ended. Undefined while it runs. */
  failure: HearthError | undefined;
  readonly #options: VllmOptions;
  readonly #guard: ChildProcess;
  readonly #lines: LogLines;
  readonly #stall: ReturnType<typeof createStallWatch>;
  readonly #ended = createDeferred<HearthError | undefined>();
  /** The process group. */
  #group = 0;
  #isStopping = false;
  #killReason: string | undefined;
  #timer: Timer | undefined;
  #silentLooks = 0;
  /** Absent: it is awake. */
  #asleep: SleepFigures | undefined;

  constructor(options: VllmOptions) {
    const { program, args, environment, address, script, loadTimeout, clock } = options;
    this.url = address.url;
    this.servedModel = address.servedModel;
    this.key = address.key;
    this.#options = options;
    this.#lines = new LogLines((line) => this.#onLine(line));
    this.exited = this.#ended.promise;
    const order: GuardOrder = { program, args };
    this.#guard = startProcess(process.execPath, [script, JSON.stringify(order)], {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: environment,
      // A terminal sends its signals to the group of the server.
      detached: true,
    });
    this.#stall = createStallWatch(clock, loadTimeout, () => void this.kill('it made no progress for too long'));
    this.#stall.start();
    this.#connect();
  }

  get pid(): number {
    return this.#group;
  }

  /** Prompts are kept in the KV cache of vLLM. */
  limitPrefixes(): void {}

  isAnswering(): Promise<boolean> {
    return askLocal(`${this.url}/health`, this.key).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** The load is done: from now on it must answer. */
  watch(): void {
    this.#stall.stop();
    this.#lines.clear();
    void this.#look();
  }

  allowSleep(figures: SleepFigures): void {
    const change = async (asleep: SleepFigures | undefined): Promise<void> => {
      await setAsleep(this, asleep !== undefined);
      this.#asleep = asleep;
      await this.#measure();
    };
    this.sleeper = { figures, sleep: () => change(figures), wakeUp: () => change(undefined) };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    // The guard ends the group, and kills it if that takes too long.
    this.#guard.stdin?.end();
    await this.exited;
  }

  async kill(reason: string): Promise<void> {
    this.#killReason ??= reason;
    this.#killGroup();
    this.#guard.stdin?.end();
    await this.exited;
  }

  #connect(): void {
    let ended = 'its guard was killed';
    let isMissing = false;
    const channel = new LogLines((line) => {
      const message = asObject(parseJson(line));
      if (typeof message['pid'] === 'number') this.#group = message['pid'];
      if (typeof message['ended'] === 'string') ended = message['ended'];
      isMissing ||= message['isMissing'] === true;
    });
    (this.#guard.stdio[guardChannel] as Readable)
      .setEncoding('utf8')
      .on('data', (chunk: string) => channel.feed(chunk));
    for (const stream of [this.#guard.stdout, this.#guard.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => this.#lines.feed(chunk));
    this.#guard.stdin?.on('error', () => {});
    this.#guard.on('error', (error) => this.#onEnd(error.message, false));
    // If the guard was killed, the group holds the pipes open, and 'close' never comes.
    this.#guard.on('exit', () => this.#killGroup());
    this.#guard.on('close', () => this.#onEnd(ended, isMissing));
  }

  #onLine(line: string): void {
    const { report, name, logger } = this.#options;
    this.#stall.touch();
    const step = stepOf(line);
    if (step !== undefined) report(step);
    const text = plainLine(line);
    if (text !== '') logger[levelOf(line)](text, { engine: 'vllm', model: name });
  }

  #killGroup(): void {
    if (this.#group === 0) return;
    try {
      process.kill(-this.#group, 'SIGKILL');
    } catch {
      // All have ended.
    }
  }

  #onEnd(how: string, isMissing: boolean): void {
    this.#timer?.cancel();
    this.#stall.stop();
    this.failure ??= this.#explain(how, isMissing);
    const isExpected = this.#isStopping && this.#killReason === undefined;
    this.#ended.resolve(isExpected ? undefined : this.failure);
  }

  #explain(how: string, isMissing: boolean): HearthError {
    if (isMissing) {
      const { program } = this.#options;
      const message = `${program} was not found; install vLLM, or set HEARTH_VLLM to its program, its virtual environment or a command`;
      return new HearthError('load_failed', message);
    }
    if (this.#isStopping && this.#killReason === undefined)
      return new HearthError('shutting_down', 'the model was unloaded');
    const why = this.#killReason ?? how;
    const cause = causeIn(this.#lines.last);
    return new HearthError('runner_died', `vLLM has terminated: ${cause === undefined ? why : `${why}: ${cause}`}`);
  }

  async #look(): Promise<void> {
    const { clock } = this.#options;
    await this.#measure();
    this.#timer = clock.after(lookIntervalMs, async () => {
      const isAlive = await this.isAnswering();
      if (this.failure !== undefined) return;
      this.#silentLooks = isAlive ? 0 : this.#silentLooks + 1;
      if (this.#silentLooks >= looksUntilDead) void this.kill('it does not answer any more');
      else await this.#look();
    });
  }

  async #measure(): Promise<void> {
    const measured = await measureGroup(this.#group);
    // What the driver holds for it is not in the figures of its processes.
    const mainBytes = Math.max(measured ?? 0, this.#asleep?.sleepBytes ?? 0);
    const taken = this.#asleep === undefined ? this.#options.estimated.devices : undefined;
    const devices = [...(taken ?? [])].map(([name, bytes]) => ({ name, bytes, isUnified: false }));
    const deviceBytes = devices.reduce((sum, { bytes }) => sum + bytes, 0);
    this.memory = mainBytes === 0 ? undefined : { totalBytes: mainBytes + deviceBytes, deviceBytes, devices };
  }
}
