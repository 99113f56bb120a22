// The grammar of the calls that a model may write: the names are those of the offered tools, the arguments satisfy their
// schemas, and the layout is the model's own. docs/grammar.md lists what is enforced in which form.

import { type Effort, unlimitedEffort } from '../../../base/effort.ts';
import { HearthError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-values.ts';
import {
  characterClass,
  choiceOf,
  type Expression,
  empty,
  literal,
  optional,
  repeat,
  rule,
  sequence,
  whiteSpace,
} from '../../grammar/gbnf/expression.ts';
import { createWorkBudget } from '../../grammar/limits/limits.ts';
import { checkDocument, comma } from '../../grammar/schema/json-value.ts';
import { moveReferences } from '../../grammar/schema/move-references.ts';
import {
  type CompilerOptions,
  createSchemaCompiler,
  type SchemaCompiler,
  schemaToGrammar,
} from '../../grammar/schema.ts';
import type { CalledTool } from '../tool-calls/call-grammar.ts';
import type { CallForm, CallLayout } from '../tool-calls/call-syntax.ts';
import { bareKeyArguments } from './bare-key-arguments.ts';
import { elementArguments } from './element-arguments.ts';
import { createFormContext, digits, type FormContext, type HeldTool, layoutText } from './form-context.ts';
import { harmonyCalls } from './harmony-calls.ts';
import { pythonArguments } from './python-arguments.ts';
import { treeArguments } from './tree-arguments.ts';

export interface CallRules {
  readonly tools: readonly CalledTool[];
  readonly layout: CallLayout;
  /** Whether an answer may have several calls. */
  readonly parallel: boolean;
  /** Whether the grammar applies from the start of the answer, not from a trigger on. */
  readonly fromStart: boolean;
}

// More calls in one answer are not useful, and small models repeat calls without end.
const maxCalls = 16;

/** Throws `bad_request` if no grammar of acceptable size is possible. */
export function callsToGrammar(request: CallRules, effort: Effort = unlimitedEffort): string {
  const held = request.tools.map(toHeldTool);
  // Schemas that cannot become a grammar, or that are too large together, allow any object. The model still sees them.
  const attempts = [
    () => build(request, held, { effort, strictness: 'exact' }),
    () => build(request, held, { effort, strictness: 'loose' }),
    () => build(request, withoutUnsupported(held, effort), { effort, strictness: 'loose' }),
    () => build(request, held.map(withAnyArguments), { effort }),
  ];
  let refusal: unknown;
  for (const attempt of attempts) {
    try {
      return attempt();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

const anyObject = { type: 'object' };

const withAnyArguments = ({ name }: HeldTool): HeldTool => ({ name, schema: anyObject });

function toHeldTool({ name, parameters = { properties: {} } }: CalledTool): HeldTool {
  const schema =
    isObject(parameters) && parameters['type'] === undefined ? { type: 'object', ...parameters } : parameters;
  return { name, schema: isObject(schema) && schema['type'] === 'object' ? schema : anyObject };
}

/** One budget for all tools, so that many of them do not multiply the work. */
function withoutUnsupported(tools: readonly HeldTool[], effort: Effort): HeldTool[] {
  const budget = createWorkBudget(effort);
  return tools.map((tool) => {
    try {
      schemaToGrammar(tool.schema, { effort, budget });
      return tool;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return withAnyArguments(tool);
    }
  });
}

function build(
  { layout, parallel, fromStart }: CallRules,
  tools: readonly HeldTool[],
  options: CompilerOptions,
): string {
  // Before the recursive functions: this limits the depth.
  checkDocument(tools.map(({ schema }) => schema));
  const schemas = tools.map(({ schema }, index) => moveReferences(schema, `#/$defs/${index}`) as HeldTool['schema']);
  const compiler = createSchemaCompiler({ $defs: Object.fromEntries(schemas.entries()) }, options);
  const held = tools.map(({ name }, index) => ({ name, schema: schemas[index] as HeldTool['schema'] }));
  const context = createFormContext(compiler);
  const root =
    layout.form.kind === 'harmony'
      ? harmonyCalls(context, held, { fromStart })
      : layoutExpression(layout, formExpression(context, layout.form, held), { compiler, parallel, fromStart });
  return compiler.write(root);
}

function layoutExpression(
  { lead = [], open, close, before, after, between }: CallLayout,
  form: Expression,
  { compiler, parallel, fromStart }: Pick<CallRules, 'parallel' | 'fromStart'> & { readonly compiler: SchemaCompiler },
): Expression {
  const sections = fromStart ? lead.map((text) => optional(literal(text))) : [];
  const call = compiler.rules.share(sequence(layoutText(before), form, layoutText(after)));
  const others =
    between === undefined || !parallel
      ? empty
      : compiler.rules.repeat(sequence(layoutText(between), call), 0, maxCalls - 1, '');
  return sequence(...sections, layoutText(open), call, others, layoutText(close));
}

const callNumber = sequence(literal(':'), digits);
const callId = repeat(
  characterClass([
    [0x30, 0x39],
    [0x61, 0x7a],
  ]),
  10,
  10,
);

function formExpression(context: FormContext, form: CallForm, tools: readonly HeldTool[]): Expression {
  const jsonArguments = ({ schema }: HeldTool): Expression => context.compile(schema);
  const each = (write: (tool: HeldTool) => Expression): Expression => choiceOf(tools.map(write));
  const enclosed = (...content: readonly Expression[]): Expression =>
    sequence(literal('{'), whiteSpace, ...content, whiteSpace, literal('}'));
  switch (form.kind) {
    case 'object': {
      const { idKey, nameKey, argumentsKey } = form;
      const id =
        idKey === undefined ? empty : sequence(literal(`${JSON.stringify(idKey.name)}:`), whiteSpace, rule('string'));
      const call = each((tool) =>
        sequence(
          literal(JSON.stringify(tool.name)),
          comma,
          literal(`${JSON.stringify(argumentsKey)}:`),
          whiteSpace,
          jsonArguments(tool),
        ),
      );
      return enclosed(
        idKey?.first ? optional(sequence(id, comma)) : empty,
        literal(`${JSON.stringify(nameKey)}:`),
        whiteSpace,
        call,
        idKey?.first === false ? optional(sequence(comma, id)) : empty,
      );
    }
    case 'keyed':
      return enclosed(
        each((tool) => sequence(literal(`${JSON.stringify(tool.name)}:`), whiteSpace, jsonArguments(tool))),
      );
    case 'named':
      return each((tool) =>
        sequence(
          form.afterId === undefined ? empty : sequence(callId, literal(form.afterId)),
          literal(tool.name),
          form.isNumbered ? callNumber : empty,
          form.isExact ? literal(form.afterName) : layoutText(form.afterName),
          jsonArguments(tool),
          layoutText(form.afterArguments),
        ),
      );
    case 'python':
      return each((tool) => sequence(literal(`${tool.name}(`), pythonArguments(context, tool.schema), literal(')')));
    case 'bare-keys':
      return each((tool) => sequence(literal(tool.name), bareKeyArguments(context, tool.schema, form.quote)));
    case 'elements':
      return each((tool) => sequence(literal(tool.name), elementArguments(context, tool.schema, form)));
    case 'tree':
      return each((tool) => sequence(literal(`${tool.name}">`), treeArguments(context, tool.schema, form.mark)));
    case 'harmony':
      throw new TypeError('the calls of gpt-oss have no layout');
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof HearthError && error.code === 'bad_request';
}
