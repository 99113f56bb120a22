// From tokens to a tree.
//
//   list     = { text | "{{" action "}}" }
//   action   = "if" pipeline | "with" pipeline | "range" pipeline | "else" [ "if" pipeline | "with" pipeline ]
//            | "end" | "break" | "continue" | pipeline
//   pipeline = [ variable { "," variable } ( ":=" | "=" ) ] command { "|" command }
//   command  = operand { operand }
//   operand  = ( "." | field | variable | literal | function | "(" pipeline ")" ) { field }

import { type Position, templateError } from './errors.ts';
import { type Token, tokenize } from './lexer.ts';
import type { Command, Node, Operand, Pipeline } from './tree.ts';

// A hostile template nests until the parser's own stack is full.
const deepest = 200;

type BlockEnd = 'end' | 'else' | 'end of template';

export function parseTemplate(source: string): Node[] {
  const tokens = tokenize(source);
  let index = 0;
  let depth = 0;

  const peek = (): Token | undefined => tokens[index];
  const here = (): Position => peek()?.position ?? tokens.at(-1)?.position ?? { line: 1, column: 1 };
  const next = (): Token => {
    const token = tokens[index++];
    if (token === undefined) throw templateError('unexpected end of template', here());
    return token;
  };
  const isWord = (text: string): boolean => peek()?.kind === 'word' && peek()?.text === text;
  const isPunctuation = (text: string): boolean => peek()?.kind === 'punctuation' && peek()?.text === text;
  const close = (): void => {
    const token = next();
    if (token.kind !== 'close') throw templateError(`unexpected ${JSON.stringify(token.text)}`, token.position);
  };
  const nested = <T>(parse: () => T): T => {
    if (++depth > deepest) throw templateError(`nested more than ${deepest} deep`, here());
    const result = parse();
    depth--;
    return result;
  };

  /** Nodes up to, and past, the `else` or `end` that ends the block; an `else` leaves its rest to be read. */
  const parseList = (allowed: readonly BlockEnd[]): { nodes: Node[]; ended: BlockEnd } => {
    const nodes: Node[] = [];
    for (let token = peek(); token !== undefined; token = peek()) {
      index++;
      const ended = token.kind === 'text' ? undefined : takeBlockEnd(allowed, token);
      if (ended !== undefined) return { nodes, ended };
      nodes.push(token.kind === 'text' ? { kind: 'text', text: token.text } : parseAction());
    }
    if (!allowed.includes('end of template')) throw templateError('unexpected end of template', here());
    return { nodes, ended: 'end of template' };
  };

  const takeBlockEnd = (allowed: readonly BlockEnd[], opening: Token): 'end' | 'else' | undefined => {
    const ended = (['end', 'else'] as const).find(isWord);
    if (ended === undefined) return undefined;
    if (!allowed.includes(ended)) throw templateError(`unexpected {{${ended}}}`, opening.position);
    index++;
    if (ended === 'end') close();
    return ended;
  };

  const takeWord = <Word extends string>(...words: readonly Word[]): Word | undefined => {
    const word = words.find(isWord);
    if (word !== undefined) index++;
    return word;
  };

  const parseAction = (): Node => {
    const block = takeWord('if', 'with', 'range');
    if (block !== undefined) return nested(() => parseBlock(block));
    const jump = takeWord('break', 'continue');
    if (jump !== undefined) {
      close();
      return { kind: jump };
    }
    const pipeline = parsePipeline();
    close();
    return { kind: 'output', pipeline };
  };

  const parseBlock = (kind: 'if' | 'with' | 'range'): Node => {
    const pipeline = parsePipeline();
    close();
    const { nodes: body, ended } = parseList(['end', 'else']);
    return { kind, pipeline, body, otherwise: ended === 'else' ? parseElse() : [] };
  };

  const parseElse = (): Node[] => {
    const block = takeWord('if', 'with');
    if (block !== undefined) return [nested(() => parseBlock(block))];
    close();
    return parseList(['end']).nodes;
  };

  const parsePipeline = (): Pipeline => {
    const position = here();
    const { variables, declares } = parseAssignment();
    const commands: Command[] = [parseCommand()];
    while (isPunctuation('|')) {
      index++;
      commands.push(parseCommand());
    }
    return { variables, declares, commands, position };
  };

  const parseAssignment = (): { variables: string[]; declares: boolean } => {
    const start = index;
    const variables: string[] = [];
    while (peek()?.kind === 'variable') {
      variables.push(next().text);
      if (isPunctuation(',')) {
        index++;
        continue;
      }
      if (isPunctuation(':=') || isPunctuation('=')) return { variables, declares: next().text === ':=' };
      break;
    }
    index = start;
    return { variables: [], declares: false };
  };

  const parseCommand = (): Command => {
    const operands: Operand[] = [];
    while (peek() !== undefined && peek()?.kind !== 'close' && !isPunctuation('|') && !isPunctuation(')'))
      operands.push(parseOperand());
    if (operands.length === 0) throw templateError('missing value for command', here());
    return operands;
  };

  const parsePath = (): string[] => {
    const path: string[] = [];
    while (peek()?.kind === 'field' && peek()?.glued) path.push(next().text.slice(1));
    return path;
  };

  const parseOperand = (): Operand => {
    const token = next();
    const { position } = token;
    switch (token.kind) {
      case 'field':
        return { kind: 'field', path: [token.text.slice(1), ...parsePath()], position };
      case 'variable':
        return { kind: 'variable', name: token.text, path: parsePath(), position };
      case 'number':
        return { kind: 'literal', value: Number(token.text.replaceAll('_', '')), position };
      case 'string':
        return { kind: 'literal', value: unquote(token), position };
      case 'word':
        return wordOperand(token);
      default:
        if (token.text === '.') return { kind: 'dot', position };
        if (token.text === '(') return nested(() => parseGroup(position));
        throw templateError(`unexpected ${JSON.stringify(token.text)}`, position);
    }
  };

  const parseGroup = (position: Position): Operand => {
    const pipeline = parsePipeline();
    if (!isPunctuation(')')) throw templateError('unclosed left parenthesis', position);
    index++;
    return { kind: 'group', pipeline, path: parsePath(), position };
  };

  return parseList(['end of template']).nodes;
}

function wordOperand({ text, position }: Token): Operand {
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', position };
  if (text === 'nil') return { kind: 'literal', value: null, position };
  return { kind: 'function', name: text, position };
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\', "'": "'" };

function unquote({ text, position }: Token): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  return text.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)/g, (_, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const character = escapes[code];
    if (character === undefined) throw templateError(`unknown escape \\${code}`, position);
    return character;
  });
}
