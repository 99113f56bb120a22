// The MCP servers of the file, which is read again when it has changed.

import { HearthError, messageOf } from '../../../base/errors.ts';
import { fileVersion } from '../../../base/files/replace-file.ts';
import type { ToolAddress, ToolServers } from '../../../server/services/tools/tool-server.ts';
import { type McpEntry, readConfig } from '../connect/read-config.ts';
import { McpServer, type McpServerParts, type McpServerState } from './mcp-server.ts';

interface McpServersParts extends Omit<McpServerParts, 'reach'> {
  readonly path: string;
  readonly maxCalls: number;
  /** Whether requests may name servers by their addresses. */
  readonly allowsUrls: boolean;
}

interface Listed {
  /** The entry as a text, to see whether it has changed. */
  readonly text: string;
  readonly server: McpServer;
}

export class McpServers implements ToolServers {
  readonly maxCalls: number;
  readonly #parts: McpServersParts;
  readonly #servers = new Map<string, Listed>();
  /** Undefined: not read yet. */
  #version: string | undefined;
  #fileError: string | undefined;

  constructor(parts: McpServersParts) {
    this.#parts = parts;
    this.maxCalls = parts.maxCalls;
  }

  /** Why the file cannot be used. The servers stay as they were. */
  get fileError(): string | undefined {
    return this.#fileError;
  }

  names(): readonly string[] {
    return this.#current().map(({ name }) => name);
  }

  find(name: string): McpServer {
    const found = this.#current().find((server) => server.name === name);
    if (found === undefined)
      throw new HearthError(
        'mcp_not_found',
        `there is no MCP server "${name.slice(0, 100)}" in the list of this server`,
      );
    return found;
  }

  /** Connects to servers that are not connected, and waits for this long. */
  async describe(waitMs: number): Promise<readonly McpServerState[]> {
    const servers = this.#current();
    const waited = new AbortController();
    const timer = this.#parts.clock.after(waitMs, () => waited.abort());
    await Promise.allSettled(servers.map((server) => server.listTools(waited.signal)));
    timer.cancel();
    return servers.map((server) => server.describe());
  }

  open({ name, url, headers }: ToolAddress): McpServer {
    if (!this.#parts.allowsUrls)
      throw new HearthError('forbidden', 'this server uses only the MCP servers of its list; see HEARTH_MCP_URLS');
    return new McpServer({ kind: 'http', name, url, headers }, { ...this.#parts, reach: 'public' });
  }

  async close(): Promise<void> {
    const closed = [...this.#servers.values()].map(({ server }) => server.close());
    this.#parts.groups.close();
    await Promise.allSettled(closed);
  }

  #current(): McpServer[] {
    const { path, logger } = this.#parts;
    const version = fileVersion(path);
    if (version !== this.#version) {
      this.#version = version;
      try {
        this.#replace(readConfig(path));
        this.#fileError = undefined;
      } catch (error) {
        this.#fileError = messageOf(error);
        logger.error('the MCP servers were not changed', { reason: this.#fileError });
      }
    }
    return [...this.#servers.values()].map(({ server }) => server);
  }

  /** Servers whose entries are the same keep their connections. */
  #replace(entries: readonly McpEntry[]): void {
    const old = new Map(this.#servers);
    this.#servers.clear();
    for (const entry of entries) {
      const text = JSON.stringify(entry);
      const kept = old.get(entry.name);
      const server = kept?.text === text ? kept.server : new McpServer(entry, { ...this.#parts, reach: 'loopback' });
      this.#servers.set(entry.name, { text, server });
      if (server === kept?.server) old.delete(entry.name);
    }
    for (const { server } of old.values()) void server.close();
  }
}
