// Puts the process of a model to sleep, or wakes it up.

import { messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Sleeper } from '../process/model-process.ts';
import type { StartedModel } from '../process/start-model.ts';
import type { Resident } from './resident.ts';

export type SleepChange = 'sleep' | 'wake-up';

/** Undefined for a process that cannot sleep. */
export function sleeperOf(runner: StartedModel['runner']): Sleeper | undefined {
  return 'sleeper' in runner ? runner.sleeper : undefined;
}

/** Whether the process is now what it was told to be. */
export async function tellSleeper(
  resident: Resident | undefined,
  change: SleepChange,
  logger: Logger,
): Promise<boolean> {
  const runner = resident?.started?.runner;
  const sleeper = runner && sleeperOf(runner);
  const facts = { model: resident?.name, pid: runner?.pid };
  try {
    await (change === 'sleep' ? sleeper?.sleep() : sleeper?.wakeUp());
    logger.info(change === 'sleep' ? 'model sleeps' : 'model has woken up', facts);
    return true;
  } catch (error) {
    const reason = messageOf(error);
    logger.warn('a model is ended, because it does not sleep or wake up when it is told to', { ...facts, reason });
    return false;
  }
}
