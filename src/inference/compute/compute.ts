// Runs tasks without blocking the server: a short task runs at once, in the server's thread. A task that exceeds a number
// of steps is repeated in another thread, with a time limit. Clients take turns, and the task of a request that ends is
// dropped (docs/adr/0021).

import { setImmediate } from 'node:timers/promises';
import { digestOf } from '../../base/digest.ts';
import { createEffort, EffortExceeded } from '../../base/effort.ts';
import { type ErrorCode, HearthError } from '../../base/errors.ts';
import { createJobPool, type JobHost, type JobPoolLimits } from '../../base/jobs/job-pool.ts';
import { currentRequest } from '../../base/request/request-scope.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { SchemaCheck } from '../../formats/grammar/find-violations.ts';
import { createTasks, type TaskInput, type TaskName, type TaskResult, type Tasks } from './tasks.ts';
import { startThread, type ThreadJob, type ThreadOutcome } from './thread.ts';

export type Compute = <Name extends TaskName>(name: Name, input: TaskInput<Name>) => Promise<TaskResult<Name>>;

interface Computer {
  readonly compute: Compute;
  /** Ends the threads. A later task starts a new one. */
  stop(): void;
}

interface ComputerOptions {
  readonly clock: Clock;
  /** The built thread-main.js. */
  readonly script: string;
  readonly limits?: Partial<JobPoolLimits>;
  /** Tests replace it. */
  readonly startHost?: (script: string) => JobHost<ThreadJob, ThreadOutcome>;
}

interface TaskRow {
  /** Steps on the server's thread. They should take about 20 milliseconds when the code is not yet optimized. */
  readonly steps: number;
  /** The error if a thread does not finish the task. Whether it does can depend on what other callers do. */
  readonly failure: ErrorCode;
  readonly subject: string;
}

const taskTable: Readonly<Record<TaskName, TaskRow>> = {
  schemaToGrammar: { steps: 2_000, failure: 'busy', subject: 'format: converting the schema' },
  rawToGrammar: { steps: 2_000, failure: 'busy', subject: 'format: converting the grammar' },
  textToGrammar: { steps: 2_000, failure: 'busy', subject: 'format: converting the texts' },
  structureToGrammar: { steps: 2_000, failure: 'busy', subject: 'format: converting the structural tag' },
  callsToGrammar: { steps: 2_000, failure: 'busy', subject: 'tools: converting the schemas' },
  checkAnswer: { steps: 0, failure: 'busy', subject: 'format: checking the answer' },
  readTemplate: { steps: 12_000, failure: 'bad_template', subject: 'reading the template' },
  renderConversation: { steps: 12_000, failure: 'bad_template', subject: 'rendering the template' },
  renderInsertion: { steps: 12_000, failure: 'bad_template', subject: 'rendering the template' },
};

const defaultLimits: JobPoolLimits = {
  milliseconds: 10_000,
  maxHosts: 2,
  maxWaiting: 256,
  startMilliseconds: 60_000,
  patience: 0,
  slowAfter: 1000,
  probation: 60_000,
};

export function createComputer({ clock, script, limits, startHost = startThread }: ComputerOptions): Computer {
  const tasks = createTasks();
  const pool = createJobPool<ThreadJob, ThreadOutcome>({
    clock,
    limits: { ...defaultLimits, ...limits },
    startHost: () => startHost(script),
    keyOf: ({ key }) => key,
    stopped: { fault: 'it was stopped' },
  });

  // After a task that was too long, other requests run before the next task is tried.
  let interval: Promise<void> | undefined;

  return {
    async compute<Name extends TaskName>(name: Name, input: TaskInput<Name>): Promise<TaskResult<Name>> {
      while (interval !== undefined) await interval;
      try {
        return runHere(tasks, name, input);
      } catch (error) {
        if (!(error instanceof EffortExceeded)) throw error;
      }
      interval = setImmediate().then(() => {
        interval = undefined;
      });
      const scope = currentRequest();
      const job = { name, input, key: keyOf(name, input) };
      const outcome = await pool.run({ job, group: scope?.client ?? '', signal: scope?.signal });
      return resultOf(name, outcome) as TaskResult<Name>;
    },
    stop: pool.stop,
  };
}

type Running<Name extends TaskName> = TaskResult<Name> | Promise<TaskResult<Name>>;

function runHere<Name extends TaskName>(tasks: Tasks, name: Name, input: TaskInput<Name>): Running<Name> {
  const task = tasks[name] as (input: TaskInput<Name>, effort: ReturnType<typeof createEffort>) => Running<Name>;
  return task(input, createEffort(taskTable[name].steps));
}

/** The same template or schema is the same work, whatever the conversation or the answer. */
function keyOf(name: TaskName, input: unknown): string {
  const isRender = name === 'renderConversation' || name === 'renderInsertion';
  if (isRender) return digestOf(name + (input as { readonly source: string }).source);
  return digestOf(name + JSON.stringify(name === 'checkAnswer' ? (input as SchemaCheck).schema : input));
}

function resultOf(name: TaskName, outcome: ThreadOutcome): unknown {
  if ('result' in outcome) return outcome.result;
  if ('refusal' in outcome) throw new HearthError(outcome.refusal.code, outcome.refusal.message);
  const { failure, subject } = taskTable[name];
  throw new HearthError(failure, `${subject} failed: ${outcome.fault}`);
}
