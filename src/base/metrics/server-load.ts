// The load of the server as load balancers ask for it: three gauges without labels, as the model server protocol of the
// Gateway API inference extension has them.

export interface ServerLoad {
  /** Requests that a model works on. */
  readonly running: number;
  /** Requests that wait for a model, or for their turn. */
  readonly waiting: number;
  /** The used part of the KV cache, from 0 to 1: that of the model with the fullest one. */
  readonly cacheUsage: number;
}

interface LoadSnapshot {
  readonly models: readonly {
    readonly leases: number;
    /** Tokens of its running requests, and those that fit. Absent: a remote has the model. */
    readonly context?: { readonly used: number; readonly total: number } | undefined;
  }[];
  readonly queues: readonly {
    readonly waiting: number;
    /** The part of them that has a model, and waits for its runner. */
    readonly leased: number;
  }[];
}

export function sumLoad({ models, queues }: LoadSnapshot): ServerLoad {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const leases = sum(models.map((model) => model.leases));
  const usages = models.map(({ context }) => (context && context.total > 0 ? context.used / context.total : 0));
  return {
    running: Math.max(0, leases - sum(queues.map(({ leased }) => leased))),
    waiting: sum(queues.map(({ waiting }) => waiting)),
    // A request whose context was shifted has more tokens than fit.
    cacheUsage: Math.min(1, Math.max(0, ...usages)),
  };
}
