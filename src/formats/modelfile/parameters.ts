// Converts between PARAMETER lines and values of the options table, under the names of requests and of the params
// layer. Ranges are not checked here: the runner clamps values.

import { nearestWord } from '../../base/text/nearest-word.ts';
import { parseAdapterScale } from '../../models/adapter-scale.ts';
import { engineParameterTable, isEngineParameter, parseEngineParameter } from '../../models/engine-parameters.ts';
import { keepAliveParameter, parseKeepAlive } from '../../models/keep-alive.ts';
import { type OptionKey, optionName, optionTable } from '../../models/options.ts';
import { parseShares } from '../../models/shares.ts';
import { excerpt, type Modelfile, type ModelfileCommand, modelfileError, modelfileLimits } from './modelfile.ts';

export type ParameterValue = number | boolean | string | readonly string[];

interface Parameters {
  /** By name, such as `num_ctx`; input of `parseOptions`, except for `keep_alive`. */
  readonly values: Readonly<Record<string, ParameterValue>>;
  /** Names that existing Modelfiles use but that have no effect anymore. Their values are ignored. */
  readonly deprecated: readonly string[];
}

type ParameterRow = (typeof optionTable)[OptionKey];

const rowByName: ReadonlyMap<string, ParameterRow> = new Map(
  (Object.keys(optionTable) as OptionKey[]).map((key) => [optionName(key), optionTable[key]]),
);

const deprecatedNames: readonly string[] = ['f16_kv', 'logits_all'];

/** Repeated `stop` or `adapters` parameters become a list; of others the last one counts. Throws `bad_request`. */
export function parametersOf({ commands, lines }: Modelfile): Parameters {
  const values: Record<string, ParameterValue> = {};
  const deprecated = new Set<string>();
  const lists = new Map<string, string[]>();
  for (const [index, command] of commands.entries()) {
    if (command.kind !== 'parameter') continue;
    const { name, value } = command;
    const row = rowByName.get(name);
    if (row?.kind === 'strings') pushTo(lists, name, value);
    else if (row?.kind === 'adapters') pushTo(lists, name, parseAdapter(value, lines?.[index]));
    else if (row !== undefined) values[name] = parseSingle(row, value, lines?.[index]);
    else if (isOther(name)) values[name] = parseOther(name, value, lines?.[index]);
    else if (deprecatedNames.includes(name)) deprecated.add(name);
    else throw modelfileError(unknownParameter(name), lines?.[index]);
  }
  return { values: { ...values, ...Object.fromEntries(lists) }, deprecated: [...deprecated] };
}

function unknownParameter(name: string): string {
  const nearest = nearestWord(name.toLowerCase(), [
    ...rowByName.keys(),
    ...Object.keys(engineParameterTable),
    keepAliveParameter,
  ]);
  const hint = nearest === undefined ? '' : `. Did you mean '${nearest}'?`;
  return `unknown parameter '${excerpt(name)}'${hint}`;
}

function pushTo(lists: Map<string, string[]>, name: string, value: string): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [value]);
  else list.push(value);
}

type SingleRow = Exclude<ParameterRow, { readonly kind: 'strings' | 'adapters' }>;

function parseSingle(row: SingleRow, text: string, line: number | undefined): number | boolean | string {
  if (row.kind === 'choice') return parseChoice(row.choices, text, line);
  if (row.kind === 'text') return parseText(row, text, line);
  return row.kind === 'shares' ? parseSharesText(text, line) : parseValue(row.kind, text, line);
}

const parsers = {
  int: parseInteger,
  float: parseFloat32,
  bool: parseBoolean,
} as const;

function parseValue(kind: keyof typeof parsers, text: string, line: number | undefined): number | boolean {
  const value = text.length > modelfileLimits.scalar ? undefined : parsers[kind](text);
  if (value === undefined) throw modelfileError(`invalid ${kind} value [${excerpt(text)}]`, line);
  return value;
}

function parseChoice(choices: readonly string[], text: string, line: number | undefined): string {
  const choice = choices.find((name) => name === text.toLowerCase());
  if (choice === undefined) throw modelfileError(`invalid value [${excerpt(text)}]: use ${choices.join(', ')}`, line);
  return choice;
}

function parseText(row: Extract<SingleRow, { kind: 'text' }>, text: string, line: number | undefined): string {
  if (text.length > row.maxLength) throw modelfileError(`invalid value [${excerpt(text)}]: it is too long`, line);
  if ('form' in row && !row.form.isValid(text))
    throw modelfileError(`invalid value [${excerpt(text)}]: use a form such as ${row.form.example}`, line);
  return text;
}

/** The text stays as it is: the params layer has it too. */
function parseAdapter(text: string, line: number | undefined): string {
  if (parseAdapterScale(text) !== undefined) return text;
  throw modelfileError(`invalid adapter [${excerpt(text)}]: use a number such as 0, or 0=0.5 with a scale`, line);
}

/** Seconds, or a duration such as 10m. */
function parseKeepAliveText(text: string, line: number | undefined): number | string {
  const value = parseInteger(text) ?? text;
  try {
    if (text.length > modelfileLimits.scalar) throw new Error('too long');
    parseKeepAlive(value);
  } catch {
    const forms = 'seconds such as 300, a duration such as 10m, or -1 for no limit';
    throw modelfileError(`invalid ${keepAliveParameter} [${excerpt(text)}]: use ${forms}`, line);
  }
  return value;
}

/** Parameters that are not options of requests. */
function isOther(name: string): boolean {
  return name === keepAliveParameter || isEngineParameter(name);
}

function parseOther(name: string, text: string, line: number | undefined): number | boolean | string {
  if (name === keepAliveParameter) return parseKeepAliveText(text, line);
  const value = parseEngineParameter(name, text);
  if (value === undefined) throw modelfileError(`invalid value [${excerpt(text)}] of ${name}`, line);
  return value;
}

function parseSharesText(text: string, line: number | undefined): string {
  if (parseShares(text) !== undefined) return text;
  throw modelfileError(`invalid shares [${excerpt(text)}]: use numbers such as 3,1`, line);
}

/** A 64-bit integer, like in Go. Above 2^53 it is rounded, which makes no difference for any option. */
function parseInteger(text: string): number | undefined {
  const [, sign, digits] = /^([+-]?)0*(\d{1,19})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const integer = BigInt(digits) * (sign === '-' ? -1n : 1n);
  return BigInt.asIntN(64, integer) === integer ? Number(integer) : undefined;
}

/** Rejects infinity and NaN: JSON, and therefore the params layer, cannot represent them. */
function parseFloat32(text: string): number | undefined {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  return Number.isFinite(Math.fround(Number(text))) ? Number(text) : undefined;
}

const trueTexts: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const falseTexts: readonly string[] = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

function parseBoolean(text: string): boolean | undefined {
  if (trueTexts.includes(text)) return true;
  return falseTexts.includes(text) ? false : undefined;
}

/** The commands for these values, sorted by name. A list becomes one command per entry. */
export function toParameterCommands(values: Readonly<Record<string, ParameterValue>>): ModelfileCommand[] {
  return Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => {
      const texts = typeof value === 'object' ? value : [String(value)];
      return texts.map((text) => ({ kind: 'parameter' as const, name, value: text }));
    });
}
