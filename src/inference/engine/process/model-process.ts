// A process that holds a loaded model: a runner, or the program of another engine.

import type { HearthError } from '../../../base/errors.ts';
import type { Transcribe } from '../../model/transcript.ts';
import type { Counters } from '../../protocol/counters.ts';
import type { MemoryUse } from '../../protocol/messages.ts';

export interface ModelProcess {
  readonly pid: number;
  /** Sets the most bytes of its prefix cache in main memory. */
  limitPrefixes(maxBytes: number): void;
  /** Asks the process to exit, and kills it if it does not exit in time. */
  stop(): Promise<void>;
  /** Resolves when the process has exited; with an error unless `stop` was called. */
  readonly exited: Promise<HearthError | undefined>;
  /** Undefined until it is known. */
  readonly memory: MemoryUse | undefined;
  readonly counters: Counters | undefined;
  /** The size of its prefix cache in main memory. Undefined: unknown. */
  readonly prefixBytes: number | undefined;
  /** The tokens of the requests that it works on. Undefined: unknown. */
  readonly contextTokens: number | undefined;
}

/** What a process that can sleep tells about that. */
export interface SleepFigures {
  /** Milliseconds that it sleeps before it is ended. */
  readonly sleepMs: number;
  /** The main memory that it takes while it sleeps. */
  readonly sleepBytes: number;
}

/** What a process can do that gives back the memory of its GPUs and stays. */
export interface Sleeper {
  readonly figures: SleepFigures;
  /** Rejects if it does not sleep. */
  sleep(): Promise<void>;
  wakeUp(): Promise<void>;
}

/** A program that answers over HTTP on this machine. */
export interface HostedProcess extends ModelProcess {
  /** Such as http://127.0.0.1:41234. */
  readonly url: string;
  /** The name that the model has there. */
  readonly servedModel: string;
  readonly key: string;
  /** Undefined: it cannot sleep. */
  readonly sleeper: Sleeper | undefined;
  /** Whether it says that it works. */
  isAnswering(): Promise<boolean>;
}

/** A program that writes down speech. */
export interface SpeechProcess extends ModelProcess {
  readonly transcribe: Transcribe;
}
