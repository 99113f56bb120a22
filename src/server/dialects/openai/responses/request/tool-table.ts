// The tools of a request, as they are offered to the model. Functions of namespaces and custom tools become functions;
// the table converts calls back.

import type { DescribeCustomTool } from '../../../../../inference/model/custom-tool.ts';
import type { ChatInput } from '../../../../services/generation/measure-answer.ts';
import type { ServerChoice } from '../../../../services/tools/offered-tools.ts';
import { type Fields, invalid, objectOf, stringOf } from '../../../shared/read-fields.ts';
import { type FileSearch, readFileSearch, refuseSecondSearch } from './file-search.ts';
import { readMcpTool } from './mcp-tools.ts';

type Tool = ChatInput['tools'][number];

/** A tool as the client knows it. */
export interface KnownTool {
  readonly type: 'function' | 'custom';
  readonly name: string;
  readonly namespace?: string;
}

export interface ToolTable {
  readonly tools: readonly Tool[];
  /** Servers whose tools this server calls. */
  readonly servers: readonly ServerChoice[];
  /** Collections that this server searches for the model. */
  readonly search?: FileSearch | undefined;
  /** Types of tools that only other servers have. */
  readonly ignoredTypes: readonly string[];
  /** Custom tools whose format does not constrain their input, with the reason. */
  readonly unheld: readonly { readonly name: string; readonly reason: string }[];
  /** The tool that the model knows by this name. */
  find(offeredName: string): KnownTool;
  /** The name that the model knows. */
  offeredName(name: string, namespace: unknown): string;
}

/** The parameter that holds the input of a custom tool. */
export const customInputKey = 'input';

interface ReadTool {
  readonly known: KnownTool;
  readonly fields: Fields;
}

export async function readTools(given: readonly unknown[], describeCustomTool: DescribeCustomTool): Promise<ToolTable> {
  const ignoredTypes: string[] = [];
  const unheld: { name: string; reason: string }[] = [];
  const servers: ServerChoice[] = [];
  let search: FileSearch | undefined;
  const read = given.flatMap((tool, index) => {
    const fields = objectOf(tool, `tools.${index}`);
    const where = `tools.${index}`;
    if (fields['type'] === 'mcp') servers.push(readMcpTool(fields, where));
    else if (fields['type'] === 'file_search') {
      refuseSecondSearch(search);
      search = readFileSearch(fields, where);
    } else return readTool(fields, where, ignoredTypes);
    return [];
  });
  const nameOf = createNaming(read.map(({ known }) => known));
  const byOfferedName = new Map(read.map(({ known }) => [nameOf(known), known]));
  const tools: Tool[] = [];
  for (const { known, fields } of read) {
    const described = known.type === 'custom' ? await describeCustomTool(fields['format'], customInputKey) : undefined;
    if (described?.unheld !== undefined) unheld.push({ name: known.name, reason: described.unheld });
    const parameters = described?.parameters ?? fields['parameters'] ?? { type: 'object', properties: {} };
    tools.push({ name: nameOf(known), description: descriptionOf(fields), parameters });
  }
  return {
    tools,
    servers,
    search,
    ignoredTypes,
    unheld,
    find: (name) => byOfferedName.get(name) ?? { type: 'function', name },
    offeredName: (name, namespace) =>
      nameOf({ type: 'function', name, namespace: typeof namespace === 'string' ? namespace : undefined }),
  };
}

function readTool(fields: Fields, where: string, ignoredTypes: string[]): ReadTool[] {
  const type = stringOf(fields['type'], `${where}.type`);
  if (type === 'function' || type === 'custom')
    return [{ known: { type, name: stringOf(fields['name'], `${where}.name`) }, fields }];
  if (type !== 'namespace') {
    ignoredTypes.push(type);
    return [];
  }
  const namespace = stringOf(fields['name'], `${where}.name`);
  const { tools } = fields;
  if (!Array.isArray(tools)) throw invalid(`${where}.tools`, 'expected an array of functions');
  return tools.flatMap((tool, index) => {
    const inner = `${where}.tools.${index}`;
    const innerFields = objectOf(tool, inner);
    // Namespaces are not nested.
    if (innerFields['type'] === 'namespace') throw invalid(inner, 'expected a function');
    return readTool(innerFields, inner, ignoredTypes).map(({ known, fields: own }) => ({
      known: { ...known, namespace },
      fields: own,
    }));
  });
}

/** Models call a short name more reliably, so the namespace is added only to a name that several tools have. */
function createNaming(known: readonly KnownTool[]): (tool: KnownTool) => string {
  const counts = new Map<string, number>();
  for (const { name } of known) counts.set(name, (counts.get(name) ?? 0) + 1);
  return ({ name, namespace }) =>
    namespace === undefined || (counts.get(name) ?? 0) < 2 ? name : `${namespace}__${name}`;
}

function descriptionOf({ description }: Fields): string {
  return typeof description === 'string' ? description : '';
}
