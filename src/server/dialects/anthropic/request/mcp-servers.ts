// The MCP servers of a request: `mcp_servers`, and tools of the type mcp_toolset that say which of their tools are offered.

import type { ServerChoice } from '../../../services/tools/offered-tools.ts';
import type { ToolRequest } from '../../../services/tools/tool-chat.ts';
import { type Fields, invalid, objectOf, stringOf } from '../../shared/read-fields.ts';
import { readToolFilter } from '../../shared/tool-filters.ts';
import type { MessagesRequestBody } from './messages-request-schema.ts';

export const toolsetType = 'mcp_toolset';
const maxServers = 64;

type Allows = NonNullable<ServerChoice['allows']>;
type Toolset = Pick<
  NonNullable<MessagesRequestBody['tools']>[number],
  'mcp_server_name' | 'default_config' | 'configs'
>;

/** Undefined: the request names no servers. A toolset can name a listed server that `mcp_servers` lacks. */
export function readMcpServers({ mcp_servers: given = [], tools = [] }: MessagesRequestBody): ToolRequest | undefined {
  const toolsets = new Map<string, Allows>();
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== toolsetType) continue;
    const where = `tools.${index}`;
    const name = stringOf(tool.mcp_server_name, `${where}.mcp_server_name`);
    if (toolsets.has(name)) throw invalid(where, `another toolset has the server ${JSON.stringify(name)}`);
    toolsets.set(name, readToolset(tool, where));
  }
  if (given.length + toolsets.size > maxServers) throw invalid('mcp_servers', `there may be at most ${maxServers}`);
  const servers = new Map<string, ServerChoice>();
  for (const [index, server] of given.entries()) {
    const choice = readServer(server, `mcp_servers.${index}`);
    if (servers.has(choice.name)) throw invalid(`mcp_servers.${index}.name`, 'another server has this name');
    servers.set(choice.name, { ...choice, allows: toolsets.get(choice.name) ?? choice.allows });
  }
  for (const [name, allows] of toolsets) if (!servers.has(name)) servers.set(name, { name, allows });
  return servers.size === 0 ? undefined : { servers: [...servers.values()] };
}

type GivenServer = NonNullable<MessagesRequestBody['mcp_servers']>[number];

/** Without an address, the name is that of a listed server. */
function readServer(server: GivenServer, where: string): ServerChoice {
  const { type = 'url', name, url = '', authorization_token: token, tool_configuration: configuration } = server;
  if (type !== 'url') throw invalid(`${where}.type`, 'expected "url"');
  const { enabled = true, allowed_tools: allowed } = configuration ?? {};
  const isAllowed = readToolFilter(allowed, `${where}.tool_configuration.allowed_tools`) ?? (() => true);
  const choice = { name, allows: enabled ? isAllowed : () => false };
  if (url === '') return choice;
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw invalid(`${where}.url`, 'expected an https address');
  const headers: Readonly<Record<string, string>> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { ...choice, address: { url, headers } };
}

function readToolset({ default_config: common, configs }: Toolset, where: string): Allows {
  const isEnabled = (value: unknown, place: string): boolean | undefined => {
    if (value === undefined || value === null) return undefined;
    const { enabled } = objectOf(value, place);
    if (enabled === undefined || typeof enabled === 'boolean') return enabled;
    throw invalid(`${place}.enabled`, 'expected a boolean');
  };
  const byDefault = isEnabled(common, `${where}.default_config`) ?? true;
  const named: Fields = configs === undefined || configs === null ? {} : objectOf(configs, `${where}.configs`);
  const own = new Map(
    Object.entries(named).map(([tool, config]) => [tool, isEnabled(config, `${where}.configs.${tool}`)]),
  );
  return ({ name }) => own.get(name) ?? byDefault;
}
