// The tool `run_javascript`: starts a process for each program, and ends it.

import type { Readable, Writable } from 'node:stream';
import { badRequest, HearthError } from '../../base/errors.ts';
import { asObject, parseJson } from '../../base/json-values.ts';
import { type ChildSettings, spawnChild } from '../../base/process/spawn-child.ts';
import type { BuiltinTool } from './builtin-tool.ts';
import { javascriptLimits, maxJavascriptBytes } from './javascript/javascript-limits.ts';

interface JavascriptHost {
  readonly script: string;
  readonly childSettings: ChildSettings;
  /** For one program. */
  readonly milliseconds?: number;
}

const { codeLength, parallel } = javascriptLimits;

export function createJavascriptTool({
  milliseconds = javascriptLimits.milliseconds,
  ...host
}: JavascriptHost): BuiltinTool {
  let running = 0;
  return {
    name: 'run_javascript',
    description: `Runs a JavaScript program (ES2023) and returns what it prints with console.log and its last value. It has no network, files, modules or timers, and ${milliseconds / 1000} s.`,
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', description: 'The program.' } },
      required: ['code'],
    },
    async call({ code }, signal) {
      if (typeof code !== 'string' || code.length > codeLength)
        throw badRequest(`code must be a text of at most ${codeLength} characters`);
      signal.throwIfAborted();
      if (running >= parallel) throw new HearthError('busy', 'other programs are running; try again later');
      running += 1;
      try {
        return await runProcess({ ...host, milliseconds }, code, signal);
      } finally {
        running -= 1;
      }
    },
  };
}

function runProcess(
  { script, childSettings, milliseconds }: JavascriptHost,
  code: string,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawnChild(childSettings, {
      nodeArgs: [`--max-old-space-size=${javascriptLimits.heapMegabytes}`],
      script,
      args: [String(milliseconds), 'attached'],
      read: [],
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const end = AbortSignal.any([signal, AbortSignal.timeout(javascriptLimits.processMilliseconds)]);
    const kill = (): void => void child.kill('SIGKILL');
    end.addEventListener('abort', kill, { once: true });
    const chunks: Buffer[] = [];
    let received = 0;
    (child.stdout as Readable).on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxJavascriptBytes) kill();
      else chunks.push(chunk);
    });
    child.on('error', reject);
    child.on('close', () => {
      end.removeEventListener('abort', kill);
      try {
        signal.throwIfAborted();
        resolve(readResult(Buffer.concat(chunks).toString('utf8')));
      } catch (error) {
        reject(error);
      }
    });
    // A process that has ended does not read.
    (child.stdin as Writable).on('error', () => {}).end(code);
  });
}

/** The process has run a hostile program: its message may be anything. */
function readResult(text: string): string {
  const { output, error } = asObject(parseJson(text));
  if (typeof output !== 'string') throw badRequest('the program needs too much memory or time');
  if (typeof error === 'string') throw badRequest(output === '' ? error : `${output}${error}`);
  return output === '' ? 'The program printed nothing.' : output;
}
