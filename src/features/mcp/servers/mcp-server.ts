// One MCP server: connected when it is first needed, and again after it was lost, as often as the limits allow.

import { HearthError, messageOf, requestCanceled } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { ServerTool, ToolResult, ToolServer } from '../../../server/services/tools/tool-server.ts';
import type { Connection, ConnectParts } from '../connect/connect.ts';
import type { McpEntry } from '../connect/read-config.ts';
import type { ToolList } from '../connect/read-tools.ts';
import { boundText, mcpLimits } from '../limits.ts';

export interface McpServerParts extends ConnectParts {
  readonly callTimeoutMs: number;
  readonly logger: Logger;
}

export interface McpServerState {
  readonly name: string;
  readonly kind: McpEntry['kind'];
  readonly state: 'idle' | 'starting' | 'ready' | 'failed';
  /** The last failure, also if the server works again. */
  readonly lastError: string | undefined;
  /** As they were last listed. */
  readonly tools: readonly ServerTool[];
  readonly leftOut: number;
}

interface Listed extends ToolList {
  readonly at: number;
}

export class McpServer implements ToolServer {
  readonly name: string;
  readonly #entry: McpEntry;
  readonly #parts: McpServerParts;
  #connecting: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  /** Times of the monotonic clock. */
  #starts: number[] = [];
  #listed: Listed | undefined;
  #lastError: string | undefined;
  #running = 0;
  #isClosed = false;

  constructor(entry: McpEntry, parts: McpServerParts) {
    this.name = entry.name;
    this.#entry = entry;
    this.#parts = parts;
  }

  describe(): McpServerState {
    const { tools = [], leftOut = 0 } = this.#listed ?? {};
    const { name, kind } = this.#entry;
    return { name, kind, state: this.#state(), lastError: this.#lastError, tools, leftOut };
  }

  async listTools(signal: AbortSignal): Promise<readonly ServerTool[]> {
    const now = this.#parts.clock.monotonic();
    const isFresh = (at: number): boolean => now - at < mcpLimits.listAgeMs * nanosecondsPerMillisecond;
    if (this.#connection !== undefined && this.#listed !== undefined && isFresh(this.#listed.at))
      return this.#listed.tools;
    try {
      const connection = await withSignal(this.#connect(), signal);
      const list = await connection.listTools(signal);
      this.#listed = { ...list, at: now };
      return list.tools;
    } catch (error) {
      if (signal.aborted) throw requestCanceled();
      throw new HearthError('mcp_failed', `the MCP server "${this.name}" cannot be used: ${this.#note(error)}`);
    }
  }

  async call(name: string, values: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult> {
    if (this.#running >= mcpLimits.parallelCalls) return failure('too many calls of this server are running');
    this.#running += 1;
    try {
      const connection = await withSignal(this.#connect(), signal);
      return await connection.call({ name, values }, { signal, timeoutMs: this.#parts.callTimeoutMs });
    } catch (error) {
      if (signal.aborted) throw requestCanceled();
      return failure(this.#note(error));
    } finally {
      this.#running -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Nobody waits for a server that is still starting.
    if (this.#connection === undefined) this.#connecting?.then((late) => late.close()).catch(() => {});
    await this.#connection?.close();
  }

  #state(): McpServerState['state'] {
    if (this.#connection !== undefined) return 'ready';
    if (this.#connecting !== undefined) return 'starting';
    return this.#lastError === undefined ? 'idle' : 'failed';
  }

  /** Callers share one connection. */
  #connect(): Promise<Connection> {
    this.#connecting ??= this.#open().then(
      (connection) => {
        this.#connection = connection;
        return connection;
      },
      (error: unknown) => {
        this.#connecting = undefined;
        throw error;
      },
    );
    return this.#connecting;
  }

  async #open(): Promise<Connection> {
    if (this.#isClosed) throw new Error('the server is not listed any more');
    this.#countStart();
    const { connectServer } = await import('../connect/connect.ts');
    return connectServer(this.#entry, this.#parts, {
      onLost: (reason) => {
        this.#note(new Error(reason));
        this.#connection = undefined;
        this.#connecting = undefined;
        this.#listed = undefined;
      },
      onToolsChanged: () => {
        this.#listed = undefined;
      },
    });
  }

  #countStart(): void {
    const now = this.#parts.clock.monotonic();
    const window = mcpLimits.startWindowMs * nanosecondsPerMillisecond;
    this.#starts = this.#starts.filter((at) => now - at < window);
    if (this.#starts.length >= mcpLimits.starts)
      throw new Error(`it has failed ${this.#starts.length} times and is tried again later: ${this.#lastError ?? ''}`);
    this.#starts.push(now);
  }

  #note(error: unknown): string {
    const text = boundText(messageOf(error), mcpLimits.errorLength);
    if (text !== this.#lastError) this.#parts.logger.warn('an MCP server failed', { server: this.name, error: text });
    this.#lastError = text;
    return text;
  }
}

function failure(text: string): ToolResult {
  return { text: `Error: ${text}`, isError: true };
}

/** Leaves a connection that others wait for, too. */
function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(requestCanceled());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
