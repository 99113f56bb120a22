// Parses a template into a tree.
//
//   template = { "{{" "define" text "}}" list "{{" "end" "}}" | node }
//   list     = { node }
//   node     = text | "{{" pipeline "}}" | "{{" ( "break" | "continue" ) "}}"
//            | "{{" ( "if" | "with" | "range" ) pipeline "}}" list [ else ] "{{" "end" "}}"
//            | "{{" "template" text [ pipeline ] "}}" | "{{" "block" text pipeline "}}" list "{{" "end" "}}"
//   else     = "{{" "else" "}}" list | "{{" "else" ( "if" | "with" ) pipeline "}}" list [ else ]

import { templateError } from '../values/errors.ts';
import { type TemplateToken, tokenize } from './lexer.ts';
import { parseName, parsePipeline } from './parse-pipeline.ts';
import { createParseState, expect, isNext, nested, type ParseState, peek, take, takeIf } from './parse-state.ts';
import type { BranchNode, Node, Tree } from './tree.ts';

type BlockEnd = 'end' | 'else';

export function parseTree(source: string): Tree {
  const state = createParseState(tokenize(source));
  const nodes: Node[] = [];
  while (!isNext(state, 'end')) {
    const definition = isNext(state, 'open') && peek(state, 1).kind === 'word' && peek(state, 1).text === 'define';
    if (definition) parseDefinition(state);
    else nodes.push(parseNode(state));
  }
  return chooseMain(state, nodes);
}

// The template itself has the empty name, and `define` can set its content.
function chooseMain({ definitions }: ParseState, nodes: readonly Node[]): Tree {
  const defined = definitions.get('') ?? [];
  if (!isEmpty(defined) && !isEmpty(nodes))
    throw templateError('multiple definition of template ""', { line: 1, column: 1 });
  definitions.delete('');
  return { nodes: isEmpty(nodes) && !isEmpty(defined) ? defined : nodes, definitions };
}

function isEmpty(nodes: readonly Node[]): boolean {
  return nodes.every((node) => node.kind === 'text' && node.text.trim() === '');
}

function parseDefinition(state: ParseState): void {
  const opening = take(state);
  take(state);
  const name = parseName(state, 'define clause');
  expect(state, 'close', 'define clause');
  define(state, name, opening);
}

/** Parses the body of a definition. It does not see the variables and ranges around it. */
function define(state: ParseState, name: string, opening: TemplateToken): void {
  const { variables, ranges } = state;
  state.variables = ['$'];
  state.ranges = 0;
  const body = parseList(state, ['end'], opening).nodes;
  state.variables = variables;
  state.ranges = ranges;
  const earlier = state.definitions.get(name) ?? [];
  if (isEmpty(earlier)) state.definitions.set(name, body);
  else if (!isEmpty(body))
    throw templateError(`multiple definition of template ${JSON.stringify(name)}`, opening.position);
}

/** Parses nodes and the end of the block. Of an `else`, only the keyword is consumed. */
function parseList(
  state: ParseState,
  allowed: readonly BlockEnd[],
  opening: TemplateToken,
): { nodes: Node[]; ended: BlockEnd } {
  const nodes: Node[] = [];
  for (;;) {
    if (isNext(state, 'end')) throw templateError('unexpected EOF: no {{end}} for this', opening.position);
    const ended = isNext(state, 'open') ? blockEndAt(peek(state, 1)) : undefined;
    if (ended === undefined || !allowed.includes(ended)) {
      nodes.push(parseNode(state));
      continue;
    }
    take(state);
    take(state);
    if (ended === 'end') expect(state, 'close', 'end');
    return { nodes, ended };
  }
}

function blockEndAt({ kind, text }: TemplateToken): BlockEnd | undefined {
  return kind === 'word' && (text === 'end' || text === 'else') ? text : undefined;
}

function parseNode(state: ParseState): Node {
  const opening = take(state);
  if (opening.kind === 'text') return { kind: 'text', text: opening.text };
  const ended = blockEndAt(peek(state));
  if (ended !== undefined) throw templateError(`unexpected {{${ended}}}`, opening.position);
  const word = isNext(state, 'word') ? peek(state).text : '';
  switch (word) {
    case 'if':
    case 'with':
    case 'range':
      take(state);
      return nested(state, opening.position, () => parseBranch(state, word, opening));
    case 'break':
    case 'continue':
      return parseJump(state, word);
    case 'template':
      return parseCall(state, opening);
    case 'block':
      return nested(state, opening.position, () => parseBlock(state, opening));
    default:
      return { kind: 'output', pipeline: parsePipeline(state, 'command') };
  }
}

function parseBranch(state: ParseState, kind: BranchNode['kind'], opening: TemplateToken): BranchNode {
  const outer = state.variables.length;
  const pipeline = parsePipeline(state, kind);
  if (kind === 'range') state.ranges++;
  const { nodes: body, ended } = parseList(state, ['end', 'else'], opening);
  if (kind === 'range') state.ranges--;
  const otherwise = ended === 'else' ? parseElse(state, kind, opening) : [];
  state.variables.length = outer;
  return { kind, pipeline, body, otherwise };
}

// `else if` continues an if, `else with` a with. One end closes both.
function parseElse(state: ParseState, kind: BranchNode['kind'], opening: TemplateToken): Node[] {
  const position = peek(state).position;
  if (kind !== 'range' && takeIf(state, 'word', kind))
    return [nested(state, position, () => parseBranch(state, kind, opening))];
  expect(state, 'close', 'else');
  return parseList(state, ['end'], opening).nodes;
}

function parseJump(state: ParseState, kind: 'break' | 'continue'): Node {
  const { position } = take(state);
  expect(state, 'close', `{{${kind}}}`);
  if (state.ranges === 0) throw templateError(`{{${kind}}} outside {{range}}`, position);
  return { kind };
}

function parseCall(state: ParseState, { position }: TemplateToken): Node {
  take(state);
  const name = parseName(state, 'template clause');
  const pipeline = takeIf(state, 'close') ? undefined : parsePipeline(state, 'template clause');
  return { kind: 'template', name, pipeline, position };
}

function parseBlock(state: ParseState, opening: TemplateToken): Node {
  take(state);
  const name = parseName(state, 'block clause');
  const pipeline = parsePipeline(state, 'block clause');
  define(state, name, opening);
  return { kind: 'template', name, pipeline, position: opening.position };
}
