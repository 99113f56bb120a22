// Compares a complete answer with its schema, for the keywords that its grammar does not enforce. The schema comes from a
// caller, and its regular expressions can take any time: this runs only in a thread with a time limit.

import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { childPath } from './limits/schema-error.ts';
import { isJsonObject } from './schema/json-value.ts';

export interface SchemaCheck {
  readonly schema: object;
  readonly answer: string;
  /** The paths of the keywords that are not enforced. */
  readonly unenforced: readonly string[];
}

const options: Options = {
  strict: false,
  validateSchema: false,
  logger: false,
  // The grammar enforces all formats but this one.
  formats: { regex: isPattern },
  // 0.3 is a multiple of 0.1, although the quotient of the doubles is not an integer.
  multipleOfPrecision: 9,
};
// Drafts in which an array of schemas in `items` describes the first elements.
const olderDraft = /draft-0[3-7]|2019-09/;

/** The paths of the keywords that the answer violates. Undefined: it cannot be checked. */
export function findViolations({ schema, answer, unenforced }: SchemaCheck): readonly string[] | undefined {
  try {
    const { $schema, id, ...rest } = schema as Readonly<Record<string, unknown>>;
    const isOlder = Array.isArray(rest['items']) || (typeof $schema === 'string' && olderDraft.test($schema));
    const validate = (isOlder ? new Ajv(options) : new Ajv2020(options)).compile(rest);
    if (validate(JSON.parse(answer))) return [];
    const paths = (validate.errors ?? []).map((error) => pathOf(schema, error));
    const expected = [...new Set(paths)].filter((path) => unenforced.includes(path));
    // The last error is that of the outermost keyword.
    return expected.length > 0 ? expected : paths.slice(-1);
  } catch {
    return undefined;
  }
}

/** From a JSON pointer, such as #/properties/a/contains. */
function pathOf(schema: object, { schemaPath }: ErrorObject): string {
  const names = schemaPath
    .slice(schemaPath.indexOf('#') + 1)
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
  let value: unknown = schema;
  let path = '';
  for (const name of names) {
    path = childPath(path, Array.isArray(value) ? Number(name) : name);
    value = Array.isArray(value) ? value[Number(name)] : isJsonObject(value) ? value[name] : undefined;
  }
  return path;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') !== undefined;
  } catch {
    return false;
  }
}
