// The file with the MCP servers, in the form that other programs use: {"mcpServers": {name: …}}.

import { readFileSync, statSync } from 'node:fs';
import { badConfiguration, messageOf } from '../../../base/errors.ts';
import { mcpLimits } from '../limits.ts';

export interface StdioEntry {
  readonly kind: 'stdio';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HttpEntry {
  readonly kind: 'http';
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type McpEntry = StdioEntry | HttpEntry;

/** Empty without a file. Throws `bad_configuration`. */
export function readConfig(path: string): readonly McpEntry[] {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return [];
  try {
    if (info.size > mcpLimits.configBytes) throw new Error(`larger than ${mcpLimits.configBytes} bytes`);
    return parseConfig(readFileSync(path, 'utf8'));
  } catch (error) {
    throw badConfiguration(`the file of MCP servers ${path} cannot be used: ${messageOf(error)}`);
  }
}

export function parseConfig(text: string): McpEntry[] {
  const servers = objectOf(objectOf(JSON.parse(text), 'the file')['mcpServers'] ?? {}, 'mcpServers');
  const entries = Object.entries(servers);
  if (entries.length > mcpLimits.servers) throw new Error(`more than ${mcpLimits.servers} servers`);
  return entries
    .map(([name, value]) => [name, objectOf(value, `mcpServers.${name}`)] as const)
    .filter(([, fields]) => fields['disabled'] !== true)
    .map(([name, fields]) => toEntry(name, fields));
}

function toEntry(name: string, fields: Readonly<Record<string, unknown>>): McpEntry {
  const where = `mcpServers.${name}`;
  // The name is a part of the names that models call.
  if (!/^[\w-]{1,40}$/.test(name))
    throw new Error(`"${name}" is no name: use up to 40 letters, digits, hyphens and underscores`);
  const { command, url, args = [], env = {}, headers = {} } = fields;
  if ((command === undefined) === (url === undefined)) throw new Error(`${where} needs either a command or a url`);
  if (url !== undefined)
    return { kind: 'http', name, url: toUrl(url, where), headers: textsOf(headers, `${where}.headers`) };
  if (typeof command !== 'string' || command === '') throw new Error(`${where}.command must be a text`);
  if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string'))
    throw new Error(`${where}.args must be an array of texts`);
  return { kind: 'stdio', name, command, args, env: textsOf(env, `${where}.env`) };
}

function toUrl(value: unknown, where: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(`${where}.url must be an http or https address`);
  return url.href;
}

function textsOf(value: unknown, where: string): Record<string, string> {
  const fields = objectOf(value, where);
  if (Object.values(fields).some((text) => typeof text !== 'string'))
    throw new Error(`the values of ${where} must be texts`);
  return fields as Record<string, string>;
}

function objectOf(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${where} must be an object`);
  return value as Readonly<Record<string, unknown>>;
}
