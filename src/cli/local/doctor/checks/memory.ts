// Main memory: how much there is, and what limits it.

import { freemem, totalmem } from 'node:os';
import { formatBytes } from '../../../output/format.ts';
import { type CheckFinding, defineCheck, ok, problem, usualTimeLimit, warning } from '../check.ts';

/** All in bytes. */
export interface MemoryFacts {
  readonly total: number;
  readonly available: number;
  /** Of the container; absent if there is none. */
  readonly limit?: number;
  /** HEARTH_MEMORY_BUDGET; 0 is automatic. */
  readonly budget: number;
}

const gigabyte = 1e9;
// Ember with its smallest context.
const minUsable = 0.5 * gigabyte;
const minComfortable = 2 * gigabyte;

export const memoryCheck = defineCheck<MemoryFacts>({
  name: 'memory',
  timeLimit: usualTimeLimit,
  async gather({ settings }) {
    const total = totalmem();
    // Larger than all memory if there is no limit.
    const constrained = process.constrainedMemory();
    const limit = constrained > 0 && constrained < total ? { limit: constrained } : {};
    return { total, available: freemem(), ...limit, budget: settings.memoryBudget };
  },
  judge: judgeMemory,
});

export function judgeMemory({ total, available, limit, budget }: MemoryFacts): CheckFinding[] {
  const usable = Math.min(total, limit ?? total);
  const limitText = limit === undefined ? '' : `, the limit of the container is ${formatBytes(limit)}`;
  const text = `${formatBytes(total)}, ${formatBytes(available)} available${limitText}`;
  if (usable < minUsable) return [problem(text, 'models need at least 500 MB: give the machine or container more')];
  if (budget > usable)
    return [
      warning(
        `${text}; HEARTH_MEMORY_BUDGET is ${formatBytes(budget)}, which is more`,
        'lower HEARTH_MEMORY_BUDGET, or remove it',
      ),
    ];
  if (Math.min(available, usable) < minComfortable)
    return [warning(text, 'only small models fit: close programs, or unload models with `hearth stop`')];
  return [ok(text)];
}
