// A program as an MCP server: messages are lines of its standard input and output. The transport of the SDK has no limit for what
// a program sends in all, and does not end what the program starts.

import type { ChildProcess } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { messageOf, systemCodeOf } from '../../../base/errors.ts';
import { startProcess } from '../../../base/process/spawn-child.ts';
import { createLineSplitter } from '../../../base/text/line-splitter.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { boundText, mcpLimits } from '../limits.ts';
import { Intake, parseMessage } from './intake.ts';
import type { ProcessGroups } from './process-groups.ts';
import type { StdioEntry } from './read-config.ts';

interface StdioParts {
  /** Without secrets. The entry adds its own variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly groups: ProcessGroups;
  readonly clock: Clock;
}

// What a program may do after its input has ended.
const graceMs = 1000;

export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  readonly #entry: StdioEntry;
  readonly #parts: StdioParts;
  #child: ChildProcess | undefined;
  #isClosed = false;
  #failure: string | undefined;
  #lastLine = '';

  constructor(entry: StdioEntry, parts: StdioParts) {
    this.#entry = entry;
    this.#parts = parts;
  }

  /** Why the connection has ended; undefined if it was closed. */
  get failure(): string | undefined {
    return this.#failure;
  }

  start(): Promise<void> {
    const { command, args, env } = this.#entry;
    const { environment, groups } = this.#parts;
    const child = startProcess(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...environment, ...env },
      detached: true,
      windowsHide: true,
    });
    this.#child = child;
    if (child.pid !== undefined) groups.add(child.pid);
    child.stdin?.on('error', () => {});
    this.#read(child);
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#fail(describeStart(error, command));
        reject(new Error(this.#failure));
      });
      child.once('exit', (code, signal) => {
        const how = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
        this.#fail(`the program ${how}${this.#lastLine === '' ? '' : `: ${this.#lastLine}`}`);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error(this.#failure ?? 'the connection is closed');
    this.#child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#end();
  }

  #read(child: ChildProcess): void {
    const { clock } = this.#parts;
    const intake = new Intake(clock);
    const tooLong = (): Error => new Error(`the server sends a message of more than ${mcpLimits.messageBytes} bytes`);
    const lines = createLineSplitter({ maxBytes: mcpLimits.messageBytes, tooLong });
    child.stdout?.on('data', (chunk: Buffer) => {
      if (this.#isClosed) return;
      try {
        intake.countBytes(chunk.length);
        for (const line of lines.push(chunk)) {
          intake.countMessage();
          if (line.trim() !== '') this.onmessage?.(parseMessage(line) as JSONRPCMessage);
        }
      } catch (error) {
        this.#fail(messageOf(error));
      }
    });
    // Only for the error message. A program may log as much as it likes.
    child.stderr?.on('data', (chunk: Buffer) => {
      const line = chunk.subarray(-4096).toString('utf8').trimEnd().split('\n').at(-1)?.trim();
      if (line) this.#lastLine = boundText(line, mcpLimits.errorLength);
    });
  }

  #fail(reason: string): void {
    if (this.#isClosed) return;
    this.#failure = reason;
    this.onerror?.(new Error(reason));
    this.#end();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const child = this.#child;
    const { groups, clock } = this.#parts;
    child?.stdin?.end();
    child?.stdout?.destroy();
    const pid = child?.pid;
    // A program that has failed gets no time.
    if (pid !== undefined && this.#failure !== undefined) groups.end(pid);
    else if (pid !== undefined) clock.after(graceMs, () => groups.end(pid));
    this.onclose?.();
  }
}

function describeStart(error: Error, command: string): string {
  const reason = systemCodeOf(error) === 'ENOENT' ? 'there is no such program' : messageOf(error);
  return `cannot start ${boundText(command, 100)}: ${reason}`;
}
