// Ollama's renderers and parsers as a reference. They run in a copy of Ollama's source that records each call: Ollama's own
// tests, and a program that asks our questions.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../../support/repository.ts';
import { runProgram } from '../run-program.ts';
import { instrument } from './instrument.ts';
import { source } from './ollama-tables.ts';
import {
  type RecordedMessage,
  type RecordedThink,
  type RecordedTool,
  type Recording,
  readRecording,
} from './recording.ts';

const folders = ['model/renderers', 'model/parsers', 'harmony'];
/** Folders that no package of these needs. */
const unneeded = ['.git', 'app', 'docs', 'integration', 'llama', 'tokenizer'].map((name) => join(source, name));

interface AskedConversation {
  readonly messages: readonly RecordedMessage[];
  readonly tools?: readonly RecordedTool[];
  readonly think?: RecordedThink;
}

export interface Questions {
  /** Names. Each renders each conversation. */
  readonly renderers?: readonly string[];
  readonly conversations?: readonly AskedConversation[];
  /** Conversations that one renderer renders. */
  readonly prompts?: readonly (AskedConversation & { readonly renderer: string })[];
  readonly answers?: readonly {
    readonly parser: string;
    readonly pieces: readonly string[];
    readonly tools?: readonly RecordedTool[];
    readonly think?: RecordedThink;
    readonly lastMessage?: RecordedMessage;
  }[];
}

export class OllamaOracle {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static create(): OllamaOracle {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-oracle-'));
    cpSync(source, folder, { recursive: true, filter: (path) => !unneeded.includes(path) });
    for (const name of folders) instrument(join(folder, name));
    for (const [name, place] of [
      ['record/record.go', 'internal/record'],
      ['ask/ask.go', 'ask'],
    ] as const) {
      mkdirSync(join(folder, place), { recursive: true });
      cpSync(repository(`test/interop/oracle/${name}`), join(folder, place, 'main.go'));
    }
    return new OllamaOracle(folder);
  }

  /** The cases of Ollama's own tests. */
  async runTests(): Promise<Recording> {
    const words = ['test', '-count=1', '-vet=off', '-p=1', '-trimpath', ...folders.map((name) => `./${name}`)];
    return this.#record(words, '');
  }

  async ask(questions: Questions): Promise<Recording> {
    return this.#record(['run', '-trimpath', './ask'], JSON.stringify(questions));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #record(words: readonly string[], input: string): Promise<Recording> {
    const file = join(this.#folder, 'record.jsonl');
    rmSync(file, { force: true });
    const environment = { HEARTH_RECORD: file };
    const { code, stdout, stderr } = await runProgram('go', words, { cwd: this.#folder, environment, input });
    if (code !== 0) throw new Error(`go ${words.join(' ')} failed: ${stdout.slice(-4000)}${stderr.slice(-4000)}`);
    return readRecording(readFileSync(file, 'utf8'));
  }
}
