// A real Ollama, if the machine has one: the server that most users compare with.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../test/support/free-port.ts';
import { pause } from '../test/support/processes.ts';
import { killGroup, spawnGuarded } from '../test/support/spawn-guarded.ts';
import type { AddedModel } from './add-model.ts';

export interface Ollama {
  readonly url: string;
  readonly version: string;
  addModel(model: AddedModel): Promise<void>;
  stop(): void;
}

export interface OllamaOptions {
  readonly program: string;
  /** Requests at the same time. */
  readonly parallel: number;
  /** Tokens per request. */
  readonly contextLength: number;
}

const run = promisify(execFile);
const maxStartSeconds = 60;

/** The program in HEARTH_OLLAMA. */
export function findOllama(): string | undefined {
  return process.env['HEARTH_OLLAMA'] || undefined;
}

/** With a store of its own, which is removed at the end. */
export async function startOllama({ program, parallel, contextLength }: OllamaOptions): Promise<Ollama> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-ollama-'));
  const host = `127.0.0.1:${await freePort()}`;
  const env = {
    ...process.env,
    HOME: folder,
    OLLAMA_HOST: host,
    OLLAMA_MODELS: join(folder, 'models'),
    OLLAMA_NUM_PARALLEL: String(parallel),
    OLLAMA_CONTEXT_LENGTH: String(contextLength),
    OLLAMA_MAX_LOADED_MODELS: '1',
  };
  const child = spawnGuarded(program, ['serve'], { env });
  // It stops when nobody reads its log.
  for (const stream of [child.stdout, child.stderr]) stream?.resume();
  const stop = (): void => {
    killGroup(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://${host}`;
  const version = await readVersion(url);
  if (version === undefined) {
    stop();
    throw new Error(`${program} did not start in ${maxStartSeconds} s`);
  }
  return {
    url,
    version,
    async addModel({ name, path, template }) {
      const modelfile = join(folder, 'Modelfile');
      writeFileSync(modelfile, `FROM ${path}\nTEMPLATE """${template}"""\n`);
      await run(program, ['create', name, '-f', modelfile], { env });
    },
    stop,
  };
}

async function readVersion(url: string): Promise<string | undefined> {
  for (let waited = 0; waited < 10 * maxStartSeconds; waited++) {
    try {
      const { version } = (await (await fetch(`${url}/api/version`)).json()) as { version: string };
      return version;
    } catch {
      await pause(100);
    }
  }
  return undefined;
}
