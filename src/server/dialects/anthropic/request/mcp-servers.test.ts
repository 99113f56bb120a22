import { expect, test } from 'vitest';
import type { ServerChoice } from '../../../services/tools/offered-tools.ts';
import { readMcpServers } from './mcp-servers.ts';
import type { MessagesRequestBody } from './messages-request-schema.ts';

const read = (body: object) => readMcpServers(body as MessagesRequestBody)?.servers as ServerChoice[] | undefined;
const allowed = (choice: ServerChoice | undefined): string[] =>
  ['read', 'write'].filter((name) => choice?.allows?.({ name, description: '', parameters: {} }));
const files = { type: 'url', name: 'files' };
const toolset = { type: 'mcp_toolset', mcp_server_name: 'files' };

test('without servers and toolsets there are none', () => {
  expect(read({})).toBeUndefined();
  expect(read({ mcp_servers: [], tools: [{ name: 'own' }] })).toBeUndefined();
});

test.each<[string, object, string[]]>([
  ['a server', { mcp_servers: [files] }, ['read', 'write']],
  ['allowed tools', { mcp_servers: [{ ...files, tool_configuration: { allowed_tools: ['read'] } }] }, ['read']],
  ['a server that is off', { mcp_servers: [{ ...files, tool_configuration: { enabled: false } }] }, []],
  ['a toolset', { mcp_servers: [files], tools: [toolset] }, ['read', 'write']],
  ['a toolset alone', { tools: [toolset] }, ['read', 'write']],
  ['a tool that is off', { tools: [{ ...toolset, configs: { write: { enabled: false } } }] }, ['read']],
  [
    'a tool that is on',
    { tools: [{ ...toolset, default_config: { enabled: false }, configs: { write: { enabled: true } } }] },
    ['write'],
  ],
])('%s offers its tools', (_, body, tools) => {
  const [choice] = read(body) ?? [];
  expect([choice?.name, choice?.address, allowed(choice)]).toEqual(['files', undefined, tools]);
});

test('an address has the token of the request', () => {
  const server = { ...files, url: 'https://mcp.example/', authorization_token: 'secret' };
  expect(read({ mcp_servers: [server] })?.[0]?.address).toEqual({
    url: 'https://mcp.example/',
    headers: { authorization: 'Bearer secret' },
  });
});

test.each<[string, object, RegExp]>([
  ['another kind of address', { mcp_servers: [{ ...files, url: 'file:///etc' }] }, /mcp_servers.0.url/],
  ['another type', { mcp_servers: [{ ...files, type: 'stdio' }] }, /expected "url"/],
  ['the same server twice', { mcp_servers: [files, files] }, /another server has this name/],
  ['two toolsets of a server', { tools: [toolset, toolset] }, /another toolset/],
  ['a toolset without a server', { tools: [{ type: 'mcp_toolset' }] }, /mcp_server_name/],
  ['settings of another form', { tools: [{ ...toolset, configs: { read: { enabled: 1 } } }] }, /configs.read.enabled/],
])('%s is refused', (_, body, message) => {
  expect(() => read(body)).toThrow(message);
});
