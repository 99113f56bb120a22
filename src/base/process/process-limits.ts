// The limits that the kernel sets for a process.

interface ProcessLimits {
  /** Absent if unknown or unlimited. */
  readonly openFiles?: number;
  readonly addressSpace?: number;
  readonly processes?: number;
}

/** The soft limits of /proc/self/limits. */
export function parseProcessLimits(text: string): ProcessLimits {
  const read = (name: string): number | undefined => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(name));
    return parseLimit(line?.slice(name.length).trim().split(/\s+/)[0]);
  };
  return {
    openFiles: read('Max open files'),
    addressSpace: read('Max address space'),
    processes: read('Max processes'),
  };
}

/** Undefined for other texts than a number, such as "unlimited" and "max". */
export function parseLimit(text = ''): number | undefined {
  return /^\d{1,20}$/.test(text.trim()) ? Number(text) : undefined;
}
