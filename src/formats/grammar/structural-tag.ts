// Grammars of structural tags, as vLLM and xgrammar have them: free text in which tags have contents of a certain form. Also
// the older notation, with `structures` and `triggers`.

import { type Effort, unlimitedEffort } from '../../base/effort.ts';
import { findUnenforced } from './find-unenforced.ts';
import { checkFirstSets } from './gbnf/check-first-sets.ts';
import { choiceOf, type Expression, empty, literal, never, optional, rule, sequence } from './gbnf/expression.ts';
import { parseGbnf } from './gbnf/parse-gbnf.ts';
import type { Rules } from './gbnf/rules.ts';
import { textUntilAny } from './gbnf/text-until.ts';
import { createWorkBudget, type WorkBudget } from './limits/limits.ts';
import { childPath, schemaError } from './limits/schema-error.ts';
import type { Findings, Strictness } from './schema/alternatives.ts';
import { checkDocument, isJsonObject, type JsonObject } from './schema/json-value.ts';
import { moveReferences } from './schema/move-references.ts';
import type { LocatedSchema } from './schema/resolve-reference.ts';
import { convertStrictly, createSchemaCompiler, type SchemaCompiler, type SchemaGrammar } from './schema.ts';
import { patternExpression } from './text-grammar.ts';

const limits = { texts: 200, characters: 4_000 };

export function structureToGrammar(given: object, effort: Effort = unlimitedEffort): SchemaGrammar {
  checkDocument(given);
  const format = readFormat(given as JsonObject);
  return convertStrictly((strictness, findings) => convert(format, { strictness, findings, effort }));
}

interface Located {
  readonly format: JsonObject;
  readonly path: string;
}

function readFormat(given: JsonObject): Located {
  if (given['structures'] === undefined) return member({ format: given, path: '' }, 'format');
  const structures = listOf({ format: given, path: '' }, 'structures');
  const tags = structures.map(({ format: { begin, schema = true, end } }) => ({
    begin,
    content: { type: 'json_schema', json_schema: schema },
    end,
  }));
  return { format: { type: 'triggered_tags', triggers: given['triggers'], tags }, path: '' };
}

interface Attempt {
  readonly strictness: Strictness;
  readonly findings: Findings;
  readonly effort: Effort;
}

function convert(root: Located, { strictness, findings, effort }: Attempt): SchemaGrammar {
  const budget = createWorkBudget(effort);
  const schemas: LocatedSchema[] = [];
  collectSchemas(root.format, root.path, schemas);
  const pathOf = (index: string): string => schemas[Number(index)]?.path ?? '';
  const moved = schemas.map(({ schema, path }, index) => ({
    schema: moveReferences(schema, `#/$defs/${index}`),
    path,
  }));
  const document = { $defs: Object.fromEntries(moved.map(({ schema }, index) => [index, schema])) };
  const compiler = createSchemaCompiler(document, { effort, budget, strictness, findings });
  const builder = new StructureBuilder(compiler, {
    effort,
    budget,
    schemas: new Map(moved.map((one) => [one.path, one])),
  });
  const grammar = compiler.write(builder.build(root, []));
  const unenforced = findUnenforced(document, { strictness, overlaps: findings.overlaps, budget }, moved);
  return { grammar, unenforced: unenforced.map((path) => path.replace(/^\$defs\.(\d+)/, (_, index) => pathOf(index))) };
}

/** The depth of the document is limited. */
function collectSchemas(value: unknown, path: string, found: LocatedSchema[]): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) collectSchemas(item, childPath(path, index), found);
  else if (isJsonObject(value) && value['type'] === 'json_schema')
    found.push({ schema: value['json_schema'] ?? true, path: childPath(path, 'json_schema') });
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) collectSchemas(item, childPath(path, name), found);
}

interface BuilderParts {
  readonly effort: Effort;
  readonly budget: WorkBudget;
  /** By path, as they are in the document of the compiler. */
  readonly schemas: ReadonlyMap<string, LocatedSchema>;
}

class StructureBuilder {
  readonly #compiler: SchemaCompiler;
  readonly #parts: BuilderParts;
  #texts = 0;

  constructor(compiler: SchemaCompiler, parts: BuilderParts) {
    this.#compiler = compiler;
    this.#parts = parts;
  }

  /** The format, followed by one of `ends` if there are any. */
  build(located: Located, ends: readonly string[]): Expression {
    const { format, path } = located;
    const type = format['type'];
    switch (type) {
      case 'any_text':
        return this.#anyText(this.#textsOf(located, 'excludes', []), ends);
      case 'triggered_tags':
        return this.#triggeredTags(located, ends);
      case 'sequence':
        return this.#sequence(listOf(located, 'elements'), ends);
      case 'or':
        return choiceOf(listOf(located, 'elements').map((one) => this.build(one, ends)));
      default:
        if (typeof type === 'string') return sequence(this.#bounded(located, type), endOf(ends));
        throw schemaError(childPath(path, 'type'), 'must be a string');
    }
  }

  /** A format whose text shows where it ends. */
  #bounded(located: Located, type: string): Expression {
    const { format, path } = located;
    switch (type) {
      case 'const_string':
        return literal(this.#textOf(format['value'], childPath(path, 'value')));
      case 'json_schema':
        return this.#schema(located);
      case 'regex': {
        const at = childPath(path, 'pattern');
        return patternExpression(this.#textOf(format['pattern'], at), this.#compiler.rules, {
          path: at,
          ...this.#parts,
        });
      }
      case 'grammar':
        return this.#grammar(this.#textOf(format['grammar'], childPath(path, 'grammar')));
      case 'tag':
        return this.#tag(located, '');
      case 'tags_with_separator':
        return this.#separatedTags(located);
      case 'optional':
        return optional(this.#content(located));
      case 'star':
        return this.#rules.repeat(this.#content(located), 0, Number.POSITIVE_INFINITY, path);
      case 'plus':
        return this.#rules.repeat(this.#content(located), 1, Number.POSITIVE_INFINITY, path);
      default:
        throw schemaError(childPath(path, 'type'), `"${type.slice(0, 50)}" is not supported`);
    }
  }

  readonly #spend = (steps: number): void => this.#parts.budget.spend(steps, '');

  get #rules(): Rules {
    return this.#compiler.rules;
  }

  #content(located: Located): Expression {
    return this.#rules.share(this.build(member(located, 'content'), []));
  }

  #schema({ format, path }: Located): Expression {
    const style = format['style'] ?? 'json';
    if (style !== 'json') throw schemaError(childPath(path, 'style'), 'is not supported: use "json"');
    const located = this.#parts.schemas.get(childPath(path, 'json_schema'));
    if (located === undefined) throw schemaError(path, 'has no schema');
    return this.#compiler.compile([located]);
  }

  #grammar(source: string): Expression {
    // Checked by itself, before its rules are among the others.
    checkFirstSets(parseGbnf(source, this.#parts.effort).rules);
    return parseGbnf(source, this.#parts.effort, this.#rules).root;
  }

  #anyText(excluded: readonly string[], ends: readonly string[]): Expression {
    const marks = [...ends.map((text) => ({ text, next: empty })), ...excluded.map((text) => ({ text, next: never }))];
    return textUntilAny(this.#rules, marks, { mayEnd: ends.length === 0, spend: this.#spend });
  }

  #sequence(elements: readonly Located[], ends: readonly string[]): Expression {
    return sequence(...elements.map((one, index) => this.build(one, index === elements.length - 1 ? ends : [])));
  }

  /** A tag after `begun`, which is a beginning of its own. */
  #tag(located: Located, begun: string): Expression {
    const begin = this.#textOf(located.format['begin'], childPath(located.path, 'begin'));
    const ends = this.#textsOf(located, 'end').filter((end) => end !== '');
    const content = member(located, 'content');
    return sequence(literal(begin.slice(begun.length)), this.build(content, ends));
  }

  #triggeredTags(located: Located, ends: readonly string[]): Expression {
    const { format, path } = located;
    const triggers = this.#textsOf(located, 'triggers');
    const tags = listOf(located, 'tags');
    this.#spend(tags.length * triggers.length);
    const names = new Map(triggers.map((trigger) => [trigger, this.#rules.reserve()]));
    const after = this.#rules.reserve();
    const marks = [...names].map(([text, name]) => ({ text, next: rule(name) }));
    const stops = ends.map((text) => ({ text, next: empty }));
    const excluded = this.#textsOf(located, 'excludes', []).map((text) => ({ text, next: never }));
    const text = textUntilAny(this.#rules, [...marks, ...stops, ...excluded], {
      mayEnd: ends.length === 0,
      spend: this.#spend,
    });
    this.#rules.define(after, format['stop_after_first'] === true ? endOf(ends) : text);
    for (const [trigger, name] of names) {
      const own = tags.filter(({ format: { begin } }) => typeof begin === 'string' && begin.startsWith(trigger));
      if (own.length === 0)
        throw schemaError(childPath(path, 'tags'), `has no tag that begins with "${trigger.slice(0, 50)}"`);
      this.#rules.define(name, choiceOf(own.map((tag) => sequence(this.#tag(tag, trigger), rule(after)))));
    }
    if (
      tags.some(({ format: { begin } }) => !triggers.some((one) => typeof begin === 'string' && begin.startsWith(one)))
    )
      throw schemaError(childPath(path, 'tags'), 'has a tag that begins with none of the triggers');
    if (format['at_least_one'] !== true) return text;
    return sequence(choiceOf(tags.map((tag) => this.#tag(tag, ''))), rule(after));
  }

  #separatedTags(located: Located): Expression {
    const { format, path } = located;
    const tag = this.#rules.share(choiceOf(listOf(located, 'tags').map((one) => this.#tag(one, ''))));
    const separator = literal(this.#textOf(format['separator'], childPath(path, 'separator')));
    const others = this.#rules.repeat(sequence(separator, tag), 0, Number.POSITIVE_INFINITY, path);
    const all = format['stop_after_first'] === true ? tag : sequence(tag, others);
    return format['at_least_one'] === true ? all : optional(all);
  }

  #textOf(value: unknown, path: string): string {
    this.#texts++;
    if (typeof value !== 'string') throw schemaError(path, 'must be a string');
    if (this.#texts > limits.texts || value.length > limits.characters)
      throw schemaError(
        path,
        `is one of more than ${limits.texts} texts, or has more than ${limits.characters} characters`,
      );
    return value;
  }

  /** One text, or a list of texts, none of them empty if it is a list. */
  #textsOf({ format, path }: Located, name: string, fallback?: readonly string[]): readonly string[] {
    const value = format[name];
    const at = childPath(path, name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (!Array.isArray(value)) return [this.#textOf(value, at)];
    const texts = value.map((text, index) => this.#textOf(text, childPath(at, index)));
    if (texts.length === 0 || texts.includes('')) throw schemaError(at, 'must be a list of texts that are not empty');
    return texts;
  }
}

function endOf(ends: readonly string[]): Expression {
  return ends.length === 0 ? empty : choiceOf(ends.map(literal));
}

function member({ format, path }: Located, name: string): Located {
  const value = format[name];
  const at = childPath(path, name);
  if (!isJsonObject(value)) throw schemaError(at, 'must be an object');
  return { format: value, path: at };
}

function listOf({ format, path }: Located, name: string): readonly Located[] {
  const list = format[name];
  const at = childPath(path, name);
  if (!Array.isArray(list) || list.length === 0) throw schemaError(at, 'must be a list that is not empty');
  return list.map((value: unknown, index) => {
    if (!isJsonObject(value)) throw schemaError(childPath(at, index), 'must be an object');
    return { format: value, path: childPath(at, index) };
  });
}
