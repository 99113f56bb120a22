// Parses a pipeline.
//
//   pipeline = [ variable [ "," variable ] ( ":=" | "=" ) ] command { "|" command } [ "|" ]
//   command  = operand { blank operand }
//   operand  = "." | "nil" | literal | ( field | variable | function | "(" pipeline ")" ) { field }

import { isFunction } from '../functions/functions.ts';
import { templateError, toTemplateError } from '../values/errors.ts';
import type { TemplateToken } from './lexer.ts';
import { parseCharacter, parseNumber, unquote } from './literals.ts';
import { expect, failUnexpected, isNext, nested, type ParseState, peek, take, takeIf } from './parse-state.ts';
import type { CommandNode, Operand, Pipeline } from './tree.ts';

/** Consumes the closing token. `context` is for messages; only `range` can declare two variables. */
export function parsePipeline(state: ParseState, context: string, closing: '}}' | ')' = '}}'): Pipeline {
  const { position } = peek(state);
  const { variables, declares } = parseAssignment(state, context);
  const commands: CommandNode[] = [];
  while (!takeClosing(state, closing)) {
    const command = parseCommand(state);
    const [first] = command;
    if (commands.length > 0 && (first.kind === 'literal' || first.kind === 'dot' || first.kind === 'nil'))
      throw templateError(`non executable command in pipeline stage ${commands.length + 1}`, first.position);
    commands.push(command);
  }
  if (commands.length === 0) throw templateError(`missing value for ${context}`, position);
  return { variables, declares, commands, position };
}

function takeClosing(state: ParseState, closing: '}}' | ')'): boolean {
  if (closing === '}}') return takeIf(state, 'close') !== undefined;
  if (isNext(state, 'close')) throw templateError('unclosed left paren', peek(state).position);
  return takeIf(state, 'symbol', ')') !== undefined;
}

function parseAssignment(state: ParseState, context: string): Pick<Pipeline, 'variables' | 'declares'> {
  const variables: string[] = [];
  while (isNext(state, 'variable')) {
    const separator = peek(state, 1);
    if (separator.kind !== 'symbol' || ![':=', '=', ','].includes(separator.text)) break;
    const name = take(state).text;
    take(state);
    variables.push(name);
    // An assignment counts too: Go reports an undeclared variable only while rendering.
    state.variables.push(name);
    if (separator.text !== ',') return { variables, declares: separator.text === ':=' };
    if (context !== 'range' || variables.length > 1)
      throw templateError(`too many declarations in ${context}`, separator.position);
    if (!isNext(state, 'variable')) throw templateError('range can only initialize variables', peek(state).position);
  }
  if (variables.length > 0) failUnexpected(peek(state), context);
  return { variables, declares: false };
}

/** Consumes the "|" after it. */
function parseCommand(state: ParseState): CommandNode {
  const command: [Operand, ...Operand[]] = [parseOperand(state)];
  for (;;) {
    if (isNext(state, 'close') || isNext(state, 'symbol', ')')) return command;
    if (takeIf(state, 'symbol', '|')) return command;
    if (peek(state).glued) failUnexpected(peek(state), 'operand');
    command.push(parseOperand(state));
  }
}

function parseOperand(state: ParseState): Operand {
  const token = take(state);
  const operand = parseTerm(state, token);
  if (!('path' in operand)) {
    if (isNext(state, 'field') && peek(state).glued)
      throw templateError(`unexpected . after term ${JSON.stringify(token.text)}`, token.position);
    return operand;
  }
  const path = [...operand.path];
  while (isNext(state, 'field') && peek(state).glued) path.push(take(state).text.slice(1));
  return { ...operand, path };
}

function parseTerm(state: ParseState, token: TemplateToken): Operand {
  const { position, text } = token;
  switch (token.kind) {
    case 'field':
      return { kind: 'field', path: [text.slice(1)], position };
    case 'variable':
      if (!state.variables.includes(text)) throw templateError(`undefined variable ${JSON.stringify(text)}`, position);
      return { kind: 'variable', name: text, path: [], position };
    case 'number':
    case 'character':
    case 'string':
      return { kind: 'literal', value: readLiteral(token), position };
    case 'word':
      return parseWord(token);
    case 'symbol':
      if (text === '.') return { kind: 'dot', position };
      if (text === '(') return nested(state, position, () => parseGroup(state, token));
      return failUnexpected(token, 'command');
    default:
      return failUnexpected(token, 'command');
  }
}

function parseGroup(state: ParseState, { position }: TemplateToken): Operand {
  const pipeline = parsePipeline(state, 'parenthesized pipeline', ')');
  return { kind: 'group', pipeline, path: [], position };
}

const keywords = new Set(['if', 'else', 'end', 'range', 'with', 'define', 'template', 'block', 'break', 'continue']);

function parseWord(token: TemplateToken): Operand {
  const { text, position } = token;
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', position };
  if (text === 'nil') return { kind: 'nil', position };
  if (keywords.has(text)) failUnexpected(token, 'command');
  if (!isFunction(text)) throw templateError(`function ${JSON.stringify(text)} not defined`, position);
  return { kind: 'function', name: text, path: [], position };
}

function readLiteral({ kind, text, position }: TemplateToken): string | number | bigint {
  try {
    if (kind === 'number') return parseNumber(text);
    return kind === 'string' ? unquote(text) : parseCharacter(text);
  } catch (error) {
    throw toTemplateError(error, position);
  }
}

/** The name of a template, always a string literal. */
export function parseName(state: ParseState, context: string): string {
  return String(readLiteral(expect(state, 'string', context)));
}
