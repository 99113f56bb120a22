// The format of an answer in the fields of OpenAI, vLLM and llama-server.

import { HearthError } from '../../../base/errors.ts';
import { type AnswerFormat, parseAnswerFormat } from '../../../inference/model/answer-format.ts';
import { type Fields, invalid, objectOf, stringOf } from '../shared/read-fields.ts';
import type { FormatFields } from './generation-schema.ts';

type Read = (value: unknown, where: string) => AnswerFormat | undefined;

const readGrammar: Read = (value, where) => ({ type: 'gbnf', grammar: stringOf(value, where) });
const readPattern: Read = (value, where) => ({ type: 'pattern', pattern: stringOf(value, where) });

/** A schema is an object, or its JSON. */
const readSchema: Read = (value, where) =>
  parseAnswerFormat(objectOf(typeof value === 'string' ? parseJson(value, where) : value, where));

const readChoices: Read = (value, where) => {
  if (Array.isArray(value) && value.every((choice) => typeof choice === 'string'))
    return { type: 'choice', choices: value };
  throw invalid(where, 'expected an array of strings');
};

const readStructure: Read = (value, where) => {
  const tag = objectOf(typeof value === 'string' ? parseJson(value, where) : value, where);
  return { type: 'structure', tag };
};

const readJsonObject: Read = (value) => (value === true ? { type: 'json' } : undefined);

const structuredOutputs: Readonly<Record<string, Read>> = {
  json: readSchema,
  regex: readPattern,
  choice: readChoices,
  grammar: readGrammar,
  structural_tag: readStructure,
  json_object: readJsonObject,
};

const readers: Readonly<Record<keyof FormatFields, Read>> = {
  response_format: (value, where) => readResponseFormat(objectOf(value, where)),
  grammar: readGrammar,
  json_schema: readSchema,
  guided_json: readSchema,
  guided_regex: readPattern,
  guided_choice: readChoices,
  guided_grammar: readGrammar,
  structured_outputs: (value, where) => readOnly(objectOf(value, where), structuredOutputs, `${where}.`),
};

/** Throws if several fields have a format. `other`: the one of a field that only this API has. */
export function readFormatFields(body: FormatFields, other?: AnswerFormat): AnswerFormat | undefined {
  const format = readOnly(body as Fields, readers, '');
  if (format === undefined || other === undefined) return format ?? other;
  throw new HearthError('bad_request', 'an answer can have only one format');
}

function readOnly(fields: Fields, table: Readonly<Record<string, Read>>, parent: string): AnswerFormat | undefined {
  const found = Object.entries(table).flatMap(([name, read]) => {
    const value = fields[name];
    const format = value === undefined || value === null ? undefined : read(value, `${parent}${name}`);
    return format === undefined ? [] : [{ name: `${parent}${name}`, format }];
  });
  const [first, second] = found;
  if (first === undefined || second === undefined) return first?.format;
  throw new HearthError('bad_request', `${first.name} and ${second.name}: an answer can have only one format`);
}

function readResponseFormat(fields: Fields): AnswerFormat | undefined {
  const { type, json_schema: schema, grammar } = fields;
  switch (type) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      if (typeof schema === 'object' && schema !== null && 'schema' in schema) return parseAnswerFormat(schema.schema);
      throw new HearthError('bad_request', 'response_format: json_schema has no schema');
    case 'grammar':
      return readGrammar(grammar, 'response_format.grammar');
    case 'structural_tag':
      return readStructure(fields, 'response_format');
    default:
      throw new HearthError('bad_request', `response_format: unknown type "${String(type).slice(0, 50)}"`);
  }
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(where, 'expected a JSON schema');
  }
}
