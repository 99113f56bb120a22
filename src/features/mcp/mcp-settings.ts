// The settings of MCP servers.

import { count, duration, flag, path } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const mcpSettings = {
  mcpConfig: setting(path, {
    default: '~/.hearth/mcp.json',
    ollama: false,
    help: 'File with the MCP servers whose tools models may call: {"mcpServers": {name: {command, args, env} or {url, headers}}}. A running server follows a change of it. Without the file there are none.',
  }),
  mcpTimeout: setting(duration, {
    default: '60s',
    ollama: false,
    help: 'How long a call of a tool may take; -1 = no limit.',
  }),
  mcpCalls: setting(count, {
    default: '16',
    ollama: false,
    help: 'The most calls of tools that the server runs for one answer.',
  }),
  mcpUrls: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Whether requests may name MCP servers by addresses of the internet, too. Addresses of private networks and of this machine are always refused.',
  }),
};
