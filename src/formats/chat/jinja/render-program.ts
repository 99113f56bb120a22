// The program of the process that renders templates. It is passed as text (render-process.ts explains why), so
// createRender may use only its parameters and the language. Types are erased and do not count.

import type { Environment, Template } from '@huggingface/jinja';
import type { Calendar } from './strftime.ts';

export interface RenderJob {
  readonly source: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Empty if the template does not use the time. */
  readonly calendar: Calendar;
}

/** The text, the message of the template's raise_exception, or an error in the template. */
export type RenderOutcome = { readonly text: string } | { readonly rejection: string } | { readonly fault: string };

export interface JinjaPackage {
  readonly Environment: typeof Environment;
  readonly Interpreter: new (environment: unknown) => Interpreter;
  readonly Template: typeof Template;
}

interface RenderTools {
  readonly jinja: JinjaPackage;
  /** Follows Jinja for Python. */
  readonly Interpreter: JinjaPackage['Interpreter'];
  readonly maxText: number;
}

/** The part of the package's class that is used here; its own declaration does not resolve. */
export interface Interpreter {
  evaluate(node: SyntaxNode | undefined, environment: unknown): RuntimeValue;
  evaluateBlock(nodes: readonly SyntaxNode[], environment: unknown): RuntimeValue;
  evaluateMemberExpression(node: SyntaxNode, environment: unknown): RuntimeValue;
  evaluateBinaryExpression(node: SyntaxNode, environment: unknown): RuntimeValue;
  evaluateUnaryExpression(node: SyntaxNode, environment: unknown): RuntimeValue;
  evaluateTestExpression(node: SyntaxNode, environment: unknown): RuntimeValue;
  applyFilter(operand: RuntimeValue, node: SyntaxNode, environment: unknown): RuntimeValue;
  run(program: unknown): RuntimeValue;
}

export interface SyntaxNode {
  readonly type: string;
}

export interface RuntimeValue {
  readonly type: string;
  readonly value: unknown;
  readonly builtins?: ReadonlyMap<string, RuntimeValue>;
  /** Whether the value is true, as a boolean. */
  __bool__(): RuntimeValue;
}

export function createRender({ jinja, Interpreter, maxText }: RenderTools): (job: RenderJob) => RenderOutcome {
  const cacheSize = 16;
  // The limit of Jinja's sandbox in Python.
  const maxRange = 100_000;
  const cache = new Map<string, Template>();
  class Rejection extends Error {}

  function parse(source: string): Template {
    const template = cache.get(source) ?? new jinja.Template(source);
    // Least recently used first.
    cache.delete(source);
    cache.set(source, template);
    for (const oldest of cache.keys()) if (cache.size > cacheSize) cache.delete(oldest);
    return template;
  }

  function range(first: number, second?: number, step = 1): number[] {
    const [start, stop] = second === undefined ? [0, first] : [first, second];
    const length = Math.max(0, Math.ceil((stop - start) / step));
    if (!(length <= maxRange)) throw new Error(`range() is longer than ${maxRange}`);
    return Array.from({ length }, (_, index) => start + index * step);
  }

  const formatTime = (calendar: Calendar, format: string): string =>
    format.replace(/%(-?)([A-Za-z%])/g, (match, dash: string, directive: string) => {
      if (directive === '%') return '%';
      const text = calendar[directive] ?? match;
      return dash === '' ? text : text.replace(/^0(?=.)/, '');
    });

  function run({ source, variables, calendar }: RenderJob): string {
    const environment = new jinja.Environment();
    const globals = {
      true: true,
      True: true,
      false: false,
      False: false,
      none: null,
      None: null,
      range,
      strftime_now: (format: string) => formatTime(calendar, format),
      raise_exception: (message: unknown) => {
        throw new Rejection(String(message));
      },
    };
    for (const [name, value] of Object.entries({ ...variables, ...globals })) environment.set(name, value);
    return String(new Interpreter(environment).run(parse(source).parsed).value);
  }

  return (job) => {
    try {
      const text = run(job);
      return text.length > maxText ? { fault: `it wrote more than ${maxText} characters` } : { text };
    } catch (error) {
      if (error instanceof Rejection) return { rejection: error.message };
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  };
}
