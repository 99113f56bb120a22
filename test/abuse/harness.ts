// Runs attacks against the real server and measures what an ordinary client notices: the delay of GET /api/version on a
// connection of its own, before, during and after each attack.

import { Worker } from 'node:worker_threads';
import { pause, threadTimeMs } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';

export interface Attack {
  /** In the table. */
  readonly name: string;
  /**
   * Resolves when the attack is over, in seconds, with a remark for the table. Throws if the server did not defend itself
   * as expected.
   */
  readonly run: (server: TestServer) => Promise<string> | Promise<void>;
}

export interface Row {
  readonly name: string;
  /** The longest delays in milliseconds. */
  readonly before: number;
  readonly during: number;
  readonly after: number;
  /** Processor time of the server's thread during the attack, without the requests of the ordinary client, in milliseconds. */
  readonly thread: number;
  readonly remark?: string;
}

/** Delays above this are worth a look. The limit of the test is higher, because test machines are busy. */
export const goal = 250;
// Milliseconds before and after an attack.
const quiet = { before: 50, after: 100 };

// What a request of the ordinary client takes at least, as measured before each attack.
let requestCostMs = Number.POSITIVE_INFINITY;

export async function measure(server: TestServer, client: OrdinaryClient, attack: Attack): Promise<Row> {
  const meter = () => {
    const [begun, answered] = [threadTimeMs(server.pid), client.answered()];
    return () => ({ ms: threadTimeMs(server.pid) - begun, requests: client.answered() - answered });
  };
  const readBefore = meter();
  const before = await client.worstUntil(pause(quiet.before));
  const idle = readBefore();
  requestCostMs = Math.min(requestCostMs, idle.ms / idle.requests);
  const readDuring = meter();
  const attacked = attack.run(server);
  const during = await client.worstUntil(attacked);
  const { ms, requests } = readDuring();
  const thread = Math.max(0, ms - requests * requestCostMs);
  const after = await client.worstUntil(pause(quiet.after));
  const remark = await attacked;
  return {
    name: attack.name,
    before,
    during,
    after,
    thread,
    remark: typeof remark === 'string' ? remark : undefined,
  };
}

export interface OrdinaryClient {
  /** The longest delay of a request that ran while the work did. */
  worstUntil(work: Promise<unknown>): Promise<number>;
  /** The number of its requests so far. */
  answered(): number;
  stop(): Promise<unknown>;
}

/** A thread of its own: what the attacker computes must not delay it. */
export function startClient(url: string): OrdinaryClient {
  const worker = new Worker(new URL('ordinary-client.mjs', import.meta.url), { workerData: url });
  const delays: number[] = [];
  let failure: Error | undefined;
  worker.on('message', (delay: number) => delays.push(delay));
  worker.on('error', (error: Error) => {
    failure = error;
  });
  return {
    async worstUntil(work) {
      const begun = delays.length;
      await work;
      // The request that is running now may have begun during the attack.
      for (const ended = delays.length; delays.length < ended + 2; await pause(5)) if (failure) throw failure;
      return Math.max(...delays.slice(begun));
    },
    answered: () => delays.length,
    stop: () => worker.terminate(),
  };
}

export function formatTable(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length), 'attack'.length);
  const line = (name: string, ...cells: string[]): string =>
    `${name.padEnd(width)}${cells.map((cell) => cell.padStart(11)).join('')}`;
  const milliseconds = (value: number): string => `${Math.round(value)} ms`;
  return [
    line('attack', 'before', 'during', 'after', 'thread'),
    ...rows.map(({ name, before, during, after, thread, remark }) => {
      const marks = [...(remark ? [remark] : []), ...(Math.max(during, after) > goal ? [`above ${goal} ms`] : [])];
      return [line(name, ...[before, during, after, thread].map(milliseconds)), ...marks].join('  ');
    }),
    `longest wait ${milliseconds(Math.max(...rows.map(({ during, after }) => Math.max(during, after))))}`,
  ].join('\n');
}
