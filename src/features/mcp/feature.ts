// hearth mcp

import type { CommandSpec } from '../../cli/command.ts';
import { formatJson, safeLine } from '../../cli/output/format.ts';
import { formatTable, tableWidth } from '../../cli/output/table.ts';
import type { Feature } from '../feature.ts';
import type { McpResponseBody, McpServerBody } from './mcp-schema.ts';

const mcpCommand: CommandSpec = {
  name: 'mcp',
  summary: 'List the MCP servers and their tools',
  description:
    'MCP servers have tools that models can call. The file of HEARTH_MCP_CONFIG lists them. Servers that are not connected are connected.',
  options: [{ flags: '--json', help: 'Print the response of the API as JSON' }],
  examples: ['hearth mcp'],
  async execute({ connect, terminal, signal, loadSetting }, { options }) {
    const response = await (await connect()).mcp(signal);
    const width = tableWidth(terminal.stdout);
    if (options['json'] === true) terminal.stdout.write(formatJson(response));
    else if (response.servers.length === 0 && response.error === undefined)
      terminal.stderr.write(`There are no MCP servers. The file ${safeLine(loadSetting('mcpConfig'))} lists them.\n`);
    else terminal.stdout.write(formatServers(response, width));
    for (const problem of problemsOf(response)) terminal.stderr.write(`Warning: ${safeLine(problem)}\n`);
  },
};

export const mcpFeature: Feature = { commands: [mcpCommand] };

function formatServers({ servers }: McpResponseBody, width: number | undefined): string {
  return formatTable(['SERVER', 'STATE', 'TOOL', 'DESCRIPTION'], servers.flatMap(toRows), {
    width,
    optional: ['DESCRIPTION'],
  });
}

function toRows({ name, state, tools }: McpServerBody): string[][] {
  if (tools.length === 0) return [[name, state, '-', '']];
  return tools.map((tool) => [name, state, safeLine(tool.name), safeLine(shortOf(tool.description))]);
}

const maxShown = 60;

function shortOf(description: string): string {
  const [first = ''] = description.trimStart().split('\n', 1);
  return first.length <= maxShown ? first : `${first.slice(0, maxShown - 3)}...`;
}

function problemsOf({ servers, error }: McpResponseBody): string[] {
  return [
    ...(error === undefined ? [] : [error]),
    ...servers.flatMap(({ name, error: problem, tools_left_out: leftOut }) => [
      ...(problem === undefined ? [] : [`${name}: ${problem}`]),
      ...(leftOut === undefined
        ? []
        : [`${name}: ${leftOut} tools are left out: there are too many, or they are too large`]),
    ]),
  ];
}
