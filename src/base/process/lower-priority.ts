// Lowers the priority of a process, or on Linux of a thread, below that of the server. The thread of the server needs
// little time, and every request waits for it.

import { getPriority, setPriority } from 'node:os';

/** Steps below the server. */
export const prioritySteps = { model: 5, conversion: 10, quantization: 19 } as const;

const lowest = 19;

/** Relative: a server that has a low priority itself may not raise that of others. 0 is the caller. */
export function lowerPriority(steps: number, pid = 0): void {
  setPriority(pid, Math.min(lowest, getPriority(pid) + steps));
}
