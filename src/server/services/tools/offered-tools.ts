// The tools of servers that a request offers to a model: their names there, and which call goes to which server.

import { randomUUID } from 'node:crypto';
import { HearthError, messageOf } from '../../../base/errors.ts';
import type { MessageToolCall, Tool } from '../../../inference/model/conversation.ts';
import type { ServerCall, ServerTool, ToolAddress, ToolResult, ToolServer, ToolServers } from './tool-server.ts';

export interface ServerChoice {
  /** A listed server, or the name that the request gives to an address. */
  readonly name: string;
  readonly address?: Omit<ToolAddress, 'name'> | undefined;
  /** A server of this request alone. */
  readonly server?: ToolServer | undefined;
  /** Absent: all tools. */
  readonly allows?: ((tool: ServerTool) => boolean) | undefined;
  /** Absent: no call needs an approval. */
  readonly needsApproval?: ((tool: ServerTool) => boolean) | undefined;
}

export interface ToolsListed {
  readonly type: 'tools-listed';
  readonly server: string;
  readonly tools: readonly ServerTool[];
  /** The server does not answer; the request can do without it. */
  readonly error?: string;
}

// Prompts with more tools are long, and the grammar that holds calls grows with them.
const maxTools = 256;

interface Offered {
  readonly modelName: string;
  readonly server: ToolServer;
  readonly tool: ServerTool;
  readonly needsApproval: boolean;
}

interface OpenOptions {
  /** The tools of the caller, whose names are taken. */
  readonly taken: readonly Tool[];
  readonly signal: AbortSignal;
}

/** Without servers, requests that name some are refused. */
export async function openTools(
  servers: ToolServers | undefined,
  chosen: readonly ServerChoice[] | 'all',
  { taken, signal }: OpenOptions,
) {
  const choices: readonly ServerChoice[] =
    chosen === 'all' ? (servers?.names() ?? []).map((name) => ({ name })) : chosen;
  const opened: { close(): Promise<void> }[] = [];
  const open = ({ name, address, server: given }: ServerChoice): ToolServer => {
    if (given !== undefined) return given;
    if (servers === undefined) throw new HearthError('unsupported', 'this server has no MCP servers');
    if (address === undefined) return servers.find(name);
    const server = servers.open({ name, ...address });
    opened.push(server);
    return server;
  };
  const close = async (): Promise<void> => {
    await Promise.allSettled(opened.map((server) => server.close()));
  };
  try {
    const lists = await Promise.all(
      choices.map(async (choice: ServerChoice) => ({
        choice,
        ...(await list(open(choice), { choice, signal, isOptional: chosen === 'all' })),
      })),
    );
    return new OfferedTools(lists, taken, close);
  } catch (error) {
    await close();
    throw error;
  }
}

interface ListedServer {
  readonly choice: ServerChoice;
  readonly server: ToolServer;
  readonly event: ToolsListed;
}

async function list(
  server: ToolServer,
  {
    choice,
    signal,
    isOptional,
  }: { readonly choice: ServerChoice; readonly signal: AbortSignal; readonly isOptional: boolean },
): Promise<Omit<ListedServer, 'choice'>> {
  const { name, allows = () => true } = choice;
  try {
    const tools = (await server.listTools(signal)).filter(allows);
    return { server, event: { type: 'tools-listed', server: name, tools } };
  } catch (error) {
    if (signal.aborted || !isOptional) throw error;
    return { server, event: { type: 'tools-listed', server: name, tools: [], error: messageOf(error) } };
  }
}

export class OfferedTools {
  readonly listed: readonly ToolsListed[];
  readonly tools: readonly Tool[];
  readonly close: () => Promise<void>;
  readonly #byModelName = new Map<string, Offered>();
  readonly #modelNames = new Map<string, string>();

  constructor(lists: readonly ListedServer[], taken: readonly Tool[], close: () => Promise<void>) {
    this.listed = lists.map(({ event }) => event);
    this.close = close;
    const all = lists.flatMap(({ choice, server, event: { tools } }) =>
      tools.map((tool) => ({ choice, server, tool })),
    );
    if (all.length > maxTools)
      throw new HearthError(
        'bad_request',
        `the MCP servers have ${all.length} tools; choose at most ${maxTools} of them`,
      );
    const counts = new Map<string, number>();
    const names = [...taken.map(({ name }) => name), ...all.map(({ tool }) => toOfferedName(tool.name))];
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const { choice, server, tool } of all) {
      const short = toOfferedName(tool.name);
      // Models call a short name more reliably.
      const modelName = (counts.get(short) ?? 0) < 2 ? short : `${choice.name}__${short}`;
      if (taken.some(({ name }) => name === modelName)) continue;
      const needsApproval = choice.needsApproval?.(tool) ?? false;
      this.#byModelName.set(modelName, { modelName, server, tool, needsApproval });
      this.#modelNames.set(keyOf(choice.name, tool.name), modelName);
    }
    this.tools = [...this.#byModelName.values()].map(({ modelName, tool: { description, parameters } }) => ({
      name: modelName,
      description,
      parameters,
    }));
  }

  toServerCall({ id, name, arguments: values }: MessageToolCall): ServerCall {
    const offered = this.#byModelName.get(name);
    const place = { server: offered?.server.name ?? '', tool: offered?.tool.name ?? name };
    return { id: id ?? `call_${randomUUID().slice(0, 8)}`, ...place, values };
  }

  toModelCall({ id, server, tool, values }: ServerCall): MessageToolCall {
    return { id, name: this.#modelNames.get(keyOf(server, tool)) ?? toOfferedName(tool), arguments: values };
  }

  needsApproval({ server, tool, approval }: ServerCall): boolean {
    return approval === undefined && (this.#find(server, tool)?.needsApproval ?? false);
  }

  /** A tool that was not offered is not called, whoever approved it. */
  async call({ server, tool, values }: ServerCall, signal: AbortSignal): Promise<ToolResult> {
    const offered = this.#find(server, tool);
    if (offered === undefined) return { text: `Error: there is no tool "${tool.slice(0, 100)}"`, isError: true };
    return offered.server.call(tool, values, signal);
  }

  #find(server: string, tool: string): Offered | undefined {
    return this.#byModelName.get(this.#modelNames.get(keyOf(server, tool)) ?? '');
  }
}

const keyOf = (server: string, tool: string): string => `${server} ${tool}`;

/** Names that every chat format can write. */
export function toOfferedName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64);
}
