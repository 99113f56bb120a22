// llama-server, if the machine has one: the same measurements with it show what the model and the machine allow.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { pause } from '../test/support/processes.ts';
import { killGroup, spawnGuarded } from '../test/support/spawn-guarded.ts';

export interface LlamaServerOptions {
  readonly program: string;
  readonly model: string;
  /** Tokens per request. */
  readonly contextLength: number;
  readonly parallel: number;
  readonly extra?: readonly string[];
}

export interface LlamaServer {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

const maxStartSeconds = 120;

/** HEARTH_LLAMA_SERVER, or the one in PATH. */
export function findLlamaServer(): string | undefined {
  const { HEARTH_LLAMA_SERVER: chosen, PATH = '' } = process.env;
  if (chosen !== undefined && chosen !== '') return chosen;
  return PATH.split(delimiter)
    .map((folder) => join(folder, 'llama-server'))
    .find((path) => existsSync(path));
}

/** Throws with the end of its output if it does not start. */
export async function startLlamaServer(options: LlamaServerOptions): Promise<LlamaServer> {
  const { program, model, contextLength, parallel, extra = [] } = options;
  const port = await freePort();
  const child = spawnGuarded(program, [
    ...['--model', model, '--host', '127.0.0.1', '--port', String(port)],
    ...['-c', String(contextLength * parallel), '-np', String(parallel), '-t', String(availableParallelism())],
    ...extra,
  ]);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-2000);
    });
  let ended = false;
  const exit = new Promise<void>((resolve) => {
    const end = (): void => {
      ended = true;
      resolve();
    };
    child.on('exit', end).on('error', (error) => {
      output += error.message;
      end();
    });
  });
  const stop = async (): Promise<void> => {
    killGroup(child);
    await exit;
  };
  const url = `http://127.0.0.1:${port}`;
  for (let waited = 0; waited < 10 * maxStartSeconds && !ended; waited++) {
    const ready = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return { url, signal: (name) => void child.kill(name), stop };
    await pause(100);
  }
  await stop();
  throw new Error(`llama-server did not start: ${output.trim()}`);
}
