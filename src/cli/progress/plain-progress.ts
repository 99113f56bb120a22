// Progress for logs and pipes: a line when something begins, and for a transfer a line every few seconds.

import { formatBytes, formatTimeLeft } from '../output/format.ts';
import type { Bar, ProgressItem, ProgressState } from './progress-state.ts';
import { rateAt } from './transfer-speed.ts';

export interface PlainLines {
  /** What is to be told now. */
  next(state: ProgressState, now: number): string[];
}

// Milliseconds.
const between = 5000;

export function createPlainLines(): PlainLines {
  const told = new Map<string, { readonly at: number; readonly completed: number }>();
  let lastStep: ProgressItem | undefined;

  const tellBar = (bar: Bar, now: number): string[] => {
    const before = told.get(bar.key);
    const isNew = before === undefined || before.completed !== bar.completed;
    const isDue = before === undefined || bar.completed >= bar.total || now - before.at >= between;
    if (!isNew || !isDue) return [];
    told.set(bar.key, { at: now, completed: bar.completed });
    return [describeBar(bar, now)];
  };

  return {
    next(state, now) {
      const last = state.items.at(-1);
      const steps: string[] = [];
      if (last?.kind === 'step' && last !== lastStep) {
        lastStep = last;
        steps.push(last.label);
      }
      const bars = state.items.flatMap((item) => (item.kind === 'bar' ? tellBar(item, now) : []));
      return [...bars, ...steps];
    },
  };
}

function describeBar({ label, completed, total, speed, inBytes }: Bar, now: number): string {
  const isDone = completed >= total;
  const percent = isDone ? 100 : Math.min(99, Math.round((completed / total) * 100));
  const rate = isDone ? undefined : rateAt(speed, now);
  const sizes = isDone ? ` ${formatBytes(total)}` : ` ${formatBytes(completed)}/${formatBytes(total)}`;
  const tempo = rate === undefined || !inBytes ? '' : ` ${formatBytes(rate)}/s,`;
  const left = rate === undefined ? '' : ` ${formatTimeLeft(((total - completed) / rate) * 1000)} left`;
  return `${label} ${percent}%${inBytes ? sizes : ''}${tempo}${left}`;
}
