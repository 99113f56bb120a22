// Loops as in Jinja for Python: what they iterate over, which variables a turn keeps, and how they end; and keys of
// dictionaries. Like createRender, the function is passed as text to the process that renders templates, so it may use only its parameters and the language.

import type { Environment } from '@huggingface/jinja';
import type { PythonOperators } from './python-operators.ts';
import type { PythonValues } from './python-values.ts';
import type { Interpreter, JinjaPackage, RuntimeValue, SyntaxNode } from './render-program.ts';

/** `for … in iterable`. With `if …`, the iterable is the left side of a selection. */
interface Loop extends SyntaxNode {
  readonly iterable: SyntaxNode & { readonly lhs?: SyntaxNode };
  readonly body: readonly SyntaxNode[];
}

/** Keys can be numbers in Python, and only texts in the package. */
interface Dictionary extends SyntaxNode {
  readonly value: ReadonlyMap<SyntaxNode & { readonly value?: unknown }, SyntaxNode>;
}

export function createLoopInterpreter(
  jinja: JinjaPackage,
  { text, list, none, print, charactersOf }: PythonValues,
  { withLists }: PythonOperators,
): new (
  environment: unknown,
) => Interpreter {
  // What the loops of cached templates iterate over, and their bodies.
  const iterables = new WeakSet<object>();
  const bodies = new WeakSet<readonly SyntaxNode[]>();
  /** A loop over an undefined value runs zero times, one over a text for each character. The package throws. */
  const toIterable = (value: RuntimeValue): RuntimeValue => {
    if (value.type === 'UndefinedValue') return list([]);
    return value.type === 'StringValue' ? list(charactersOf(value.value as string)) : value;
  };
  const withTextKeys = ({ value, ...node }: Dictionary): SyntaxNode =>
    ({
      ...node,
      value: new Map(
        Array.from(value, ([key, item]) => [
          key.type === 'IntegerLiteral' ? { type: 'StringLiteral', value: String(key.value) } : key,
          item,
        ]),
      ),
    }) as SyntaxNode;
  const isSilent = (node: SyntaxNode): boolean => /^(?:Set|Macro|Break|Continue|Comment)$|Statement$/.test(node.type);
  const show = (node: SyntaxNode, value: RuntimeValue): string =>
    isSilent(node) && value.type === 'NullValue' ? '' : print(value);

  return class extends jinja.Interpreter {
    /** `Break` or `Continue`, until the loop that it ends. The package loses the text of the turn. */
    #ending: string | undefined;
    #isBroken = false;

    override evaluate(node: SyntaxNode | undefined, environment: unknown): RuntimeValue {
      if (node?.type === 'For') return this.#evaluateLoop(node as Loop, environment);
      if (node?.type === 'Break' || node?.type === 'Continue') {
        this.#ending = node.type;
        return none();
      }
      const value = super.evaluate(
        node?.type === 'ObjectLiteral' ? withTextKeys(node as Dictionary) : node,
        environment,
      );
      return node !== undefined && iterables.has(node) ? toIterable(value) : value;
    }

    #evaluateLoop(loop: Loop, environment: unknown): RuntimeValue {
      const { iterable, body } = loop;
      iterables.add((iterable.type === 'SelectExpression' && iterable.lhs) || iterable);
      bodies.add(body);
      const isOuterBroken = this.#isBroken;
      this.#isBroken = false;
      const written = super.evaluate(withLists(loop), environment);
      this.#isBroken = isOuterBroken;
      return written;
    }

    override evaluateBlock(nodes: readonly SyntaxNode[], environment: unknown): RuntimeValue {
      const isBody = bodies.has(nodes);
      if (isBody && this.#isBroken) return text('');
      // What a loop sets is gone in its next turn.
      const scope = isBody ? new jinja.Environment(environment as Environment) : environment;
      let written = '';
      for (const node of nodes) {
        written += show(node, this.evaluate(node, scope));
        if (this.#ending !== undefined) break;
      }
      if (isBody) {
        this.#isBroken = this.#ending === 'Break';
        this.#ending = undefined;
      }
      return text(written);
    }
  };
}
