// A bare loop in a child process.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BareResult } from './bare-loop.ts';

export interface BareProcess {
  /** Returns tokens per second. The script defines the meaning of the arguments. */
  run(first: number, second: number): Promise<number>;
  stop(): void;
}

export async function startBareLoop(modelPath: string, name = 'bare-loop'): Promise<BareProcess> {
  const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [script, modelPath], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(first, second) {
      child.stdin.write(`${first} ${second}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the bare loop ended');
      return (JSON.parse(value) as BareResult).tokensPerSecond;
    },
    stop: () => void child.kill(),
  };
}
