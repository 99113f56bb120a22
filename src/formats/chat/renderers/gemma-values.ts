// What the Gemma models have in common: keys without quotes, sorted, and a token on both sides of a text.

import { maxValueDepth } from '../../go-template/values/limits.ts';
import { type MapValue, sortedKeys, type Value } from '../../go-template/values/values.ts';
import type { MessageToolCall, Tool } from '../message.ts';
import { readParameters, type ToolProperties } from '../tool-schema.ts';
import { printGoValue } from './go-text.ts';

interface GemmaNotation {
  /** The token on both sides of a text. */
  readonly quote: string;
  /** How null is written. */
  readonly nothing: string;
  /** Whether the keys of objects have quotes. */
  readonly quotesKeys?: boolean;
}

export function writeGemmaValue(value: Value, notation: GemmaNotation, depth = 0): string {
  const { quote, nothing, quotesKeys = false } = notation;
  if (depth > maxValueDepth) throw new Error(`a value is nested more than ${maxValueDepth} levels deep`);
  if (value === null || value === undefined) return nothing;
  if (typeof value === 'string') return quote + value + quote;
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value))
    return `[${value.map((item: Value) => writeGemmaValue(item, notation, depth + 1)).join(',')}]`;
  const map = value as MapValue;
  const keyQuote = quotesKeys ? quote : '';
  const members = sortedKeys(map).map(
    (key) => `${keyQuote}${key}${keyQuote}:${writeGemmaValue(map[key], notation, depth + 1)}`,
  );
  return `{${members.join(',')}}`;
}

/** Whole numbers that fit into 64 bits have no exponent. */
function writeNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? String(BigInt(value)) : printGoValue(value);
}

/** `call:name{…}` */
export function writeGemmaCall({ name, arguments: values }: MessageToolCall, notation: GemmaNotation): string {
  return `call:${name}${writeGemmaValue(values as MapValue, notation)}`;
}

export function writeGemmaList(texts: readonly string[], { quote }: GemmaNotation): string {
  return `[${texts.map((text) => quote + text + quote).join(',')}]`;
}

export function writeGemmaDeclaration(
  tool: Tool,
  notation: GemmaNotation,
  writeProperties: (properties: ToolProperties) => string,
): string {
  const { quote } = notation;
  const { type, required, properties } = readParameters(tool);
  const parts = [
    ...(properties && properties.length > 0 ? [`properties:{${writeProperties(properties)}}`] : []),
    ...(required.length > 0 ? [`required:${writeGemmaList(required, notation)}`] : []),
    ...(type === '' ? [] : [`type:${quote}${type.toUpperCase()}${quote}`]),
  ];
  const parameters = properties === undefined && type === '' ? '' : `,parameters:{${parts.join(',')}}`;
  return `declaration:${tool.name}{description:${quote}${tool.description}${quote}${parameters}}`;
}
