// Progress for logs and pipes: one line per step, and one line every few seconds per transfer.

import { formatByteSize, formatTimeLeft } from '../output/format.ts';
import type { Bar, ProgressItem, ProgressState } from './progress-state.ts';
import { rateAt } from './transfer-speed.ts';

const lineIntervalMs = 5000;

export function createPlainLines() {
  const reported = new Map<string, { readonly at: number; readonly completed: number }>();
  let lastStep: ProgressItem | undefined;

  const reportBar = (bar: Bar, now: number): string[] => {
    const before = reported.get(bar.key);
    const isNew = before === undefined || before.completed !== bar.completed;
    const isDue = before === undefined || bar.completed >= bar.total || now - before.at >= lineIntervalMs;
    if (!isNew || !isDue) return [];
    reported.set(bar.key, { at: now, completed: bar.completed });
    return [describeBar(bar, now)];
  };

  return {
    /** The lines to print now. */
    next(state: ProgressState, now: number): string[] {
      const last = state.items.at(-1);
      const steps: string[] = [];
      if (last?.kind === 'step' && last !== lastStep) {
        lastStep = last;
        steps.push(last.label);
      }
      const bars = state.items.flatMap((item) => (item.kind === 'bar' ? reportBar(item, now) : []));
      return [...bars, ...steps];
    },
  };
}

function describeBar({ label, completed, total, speed, inBytes }: Bar, now: number): string {
  const isDone = completed >= total;
  const percent = isDone ? 100 : Math.min(99, Math.round((completed / total) * 100));
  const rate = isDone ? undefined : rateAt(speed, now);
  const sizes = isDone ? ` ${formatByteSize(total)}` : ` ${formatByteSize(completed)}/${formatByteSize(total)}`;
  const rateText = rate === undefined || !inBytes ? '' : ` ${formatByteSize(rate)}/s,`;
  const left = rate === undefined ? '' : ` ${formatTimeLeft(((total - completed) / rate) * 1000)} left`;
  return `${label} ${percent}%${inBytes ? sizes : ''}${rateText}${left}`;
}
