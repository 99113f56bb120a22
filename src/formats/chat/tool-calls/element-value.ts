// The values of arguments that are written as elements. A text is not quoted there, so only the schema of the argument
// tells `5` from `"5"`. The parser and the grammar of calls both decide here.

import { isObject } from '../../../base/json-values.ts';
import { createBalanceScanner, pythonSyntax } from './balance-scanner.ts';
import { parsePythonArguments } from './python-arguments.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Whether values of the schema can be written as plain text. */
export function writesText(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (typesOf(schema).includes('string')) return true;
  return branchesOf(schema).some(writesText);
}

/** The values of a schema that lists them, by their texts. */
export function listedValues(schema: unknown): ReadonlyMap<string, unknown> | undefined {
  const values = isObject(schema) ? valuesOf(schema) : undefined;
  return values && new Map(values.map((value) => [typeof value === 'string' ? value : JSON.stringify(value), value]));
}

/** The value of an argument. One line break on each side belongs to the layout, unless the element says what the value is. */
export function readElementValue(text: string, schema: unknown, isText?: boolean): unknown {
  if (isText === true) return text;
  const plain = text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  if (isText === false) return jsonOr(plain);
  const listed = listedValues(schema);
  if (listed !== undefined) {
    const written = [plain, plain.trim()].find((candidate) => listed.has(candidate));
    return written === undefined ? plain : listed.get(written);
  }
  const canBeText = writesText(schema);
  if (canBeText && isObject(schema) && !allowsOthers(schema)) return plain;
  const value = jsonOr(plain, isObject(schema) && !canBeText && typesOf(schema).length > 0);
  return canBeText && typeof value === 'string' ? plain : value;
}

/** Whether a text could also be a value of another type. */
function allowsOthers(schema: Schema): boolean {
  const types = typesOf(schema);
  if (types.length > 0) return types.some((type) => type !== 'string');
  return branchesOf(schema).some((branch) => !writesText(branch) || (isObject(branch) && allowsOthers(branch)));
}

function typesOf(schema: Schema): readonly unknown[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type : [];
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return schema['const'] === undefined ? undefined : [schema['const']];
}

function branchesOf(schema: Schema): readonly unknown[] {
  const branches = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(branches) ? branches : [];
}

/** The JSON value, or the text itself if it is none. `orPython`: templates that write values as they are write Python. */
function jsonOr(text: string, orPython = false): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const isShallow = orPython && createBalanceScanner(pythonSyntax, ')').read(`${text})`, 0).state === 'complete';
    const values = isShallow ? Object.values(parsePythonArguments(`value=${text}`) ?? {}) : [];
    return values.length === 1 ? values[0] : text;
  }
}
