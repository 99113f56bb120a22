// Servers of tools as the services see them: the administrator lists them, requests name them, and models call their tools.
// Every byte that they send is hostile; what they return here has bounded sizes.

import type { CitedPassage } from '../documents/passage-search.ts';

export interface ServerTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What the server says about the tool. A server can say anything. */
  readonly isReadOnly?: boolean | undefined;
}

export interface ToolResult {
  readonly text: string;
  /** The tool, or the way to it, has failed. The text says why. */
  readonly isError: boolean;
  /** What a search of collections has found. */
  readonly passages?: readonly CitedPassage[];
}

/** A call of a tool of a server. */
export interface ServerCall {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The approval that allowed it, if it needed one. */
  readonly approval?: string | undefined;
}

export interface ToolServer {
  readonly name: string;
  /** Throws `mcp_failed` if the server does not answer. */
  listTools(signal: AbortSignal): Promise<readonly ServerTool[]>;
  /** Rejects only if the signal aborts: what fails is a result for the model. */
  call(tool: string, values: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult>;
}

/** A server that a request names by its address. */
export interface ToolAddress {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ToolServers {
  /** The names of the listed servers. */
  names(): readonly string[];
  /** Throws `mcp_not_found`. */
  find(name: string): ToolServer;
  /** Throws `forbidden` if the settings do not allow addresses. The caller closes it. */
  open(address: ToolAddress): ToolServer & { close(): Promise<void> };
  /** The most calls for one answer. */
  readonly maxCalls: number;
}
