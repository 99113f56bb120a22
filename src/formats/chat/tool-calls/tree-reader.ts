// Reads arguments that are written as a tree, after the mark and the `<` of the first element:
//
//   tree = element { element } mark "</invoke>"        element = mark "<" key ">" ( text | { element } ) mark "</" key ">"
//
// Items of lists are elements with the key `item`. No text contains the mark, which is a token of its own.

import { undecidedLength } from '../../../base/text/undecided-length.ts';
import { broken, type CallReader, open, type ToCalls } from './call-scan.ts';
import { readElementValue } from './element-value.ts';

interface Element {
  readonly key: string;
  readonly text: string;
  readonly children: Element[];
}

const maxDepth = 32;
const tag = /^<(\/?)([^<>]+)>/;

export function createTreeReader(mark: string, parameters: unknown, toCalls: ToCalls): CallReader {
  const end = `${mark}</invoke>`;
  let body = '<';
  return {
    read(text, at) {
      const found = text.indexOf(end, at);
      const stop = found === -1 ? text.length - undecidedLength(text.slice(at), end) : found;
      body += text.slice(at, stop);
      if (found === -1) return open(stop);
      const elements = parseElements(body.split(mark));
      const calls = elements && toCalls(toObject(elements, parameters));
      return calls === undefined ? broken(stop) : { state: 'complete', end: stop, calls };
    },
  };
}

/** Undefined if tags are missing, or if there are too many levels. */
function parseElements(pieces: readonly string[]): readonly Element[] | undefined {
  const root: Element = { key: '', text: '', children: [] };
  const path = [root];
  for (const piece of pieces) {
    const [whole = '', slash, key = ''] = tag.exec(piece) ?? [];
    if (whole === '') return undefined;
    if (slash === '/') path.pop();
    else {
      const element = { key, text: piece.slice(whole.length), children: [] };
      path.at(-1)?.children.push(element);
      path.push(element);
    }
    if (path.length === 0 || path.length > maxDepth) return undefined;
  }
  return path.length === 1 ? root.children : undefined;
}

function toValue({ text, children }: Element, schema: unknown): unknown {
  const isList = allows(schema, 'array');
  const isObject = allows(schema, 'object');
  if (children.length > 0) {
    const areItems = children.every(({ key }) => key === 'item');
    if (!areItems || (isObject && !isList)) return toObject(children, schema);
    const items = branchOf(schema, 'array')?.['items'];
    return children.map((child) => toValue(child, items));
  }
  if (text.trim() === '' && isList) return [];
  if (text.trim() === '' && isObject) return {};
  return readElementValue(text, schema);
}

function toObject(elements: readonly Element[], schema: unknown): Readonly<Record<string, unknown>> {
  const properties = branchOf(schema, 'object')?.['properties'] ?? {};
  return Object.fromEntries(
    elements.map((element) => [
      element.key,
      toValue(element, Object.hasOwn(properties, element.key) ? (properties as Schema)[element.key] : undefined),
    ]),
  );
}

type Schema = Readonly<Record<string, unknown>>;

const allows = (schema: unknown, type: string): boolean => {
  const branch = branchOf(schema, type);
  return branch !== undefined && [branch['type']].flat().includes(type);
};

/** The part of a schema that describes values of this type. */
function branchOf(schema: unknown, type: string): Schema | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
  const { anyOf, oneOf = anyOf } = schema as Schema;
  const branches: readonly unknown[] = Array.isArray(oneOf) ? oneOf : [schema];
  const fitting = branches.find((branch) => [(branch as Schema | null)?.['type']].flat().includes(type));
  return (fitting as Schema | undefined) ?? (schema as Schema);
}
