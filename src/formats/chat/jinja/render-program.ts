// What the process that renders templates runs. It gets there as text (render-process.ts says why), so the function
// below may use nothing but its parameters and the language; types do not count, for they are gone by then.

import type { Environment, Interpreter, Template } from '@huggingface/jinja';
import type { Calendar } from './strftime.ts';

export interface RenderJob {
  readonly source: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Only where the template asks for the time. */
  readonly calendar: Calendar;
}

/** What became of a job: the text, what the template's author wants said, or what is wrong with the template. */
export type RenderOutcome = { readonly text: string } | { readonly refusal: string } | { readonly fault: string };

export interface RenderTools {
  readonly jinja: {
    readonly Environment: typeof Environment;
    readonly Interpreter: typeof Interpreter;
    readonly Template: typeof Template;
  };
  readonly maxText: number;
}

export function createRender({ jinja, maxText }: RenderTools): (job: RenderJob) => RenderOutcome {
  const cacheSize = 16;
  // As in Python's sandbox for templates.
  const maxRange = 100_000;
  const cache = new Map<string, Template>();
  class Refusal extends Error {}

  function parse(source: string): Template {
    const template = cache.get(source) ?? new jinja.Template(source);
    // The last one used is the last one to go.
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
    format.replace(/%(-?)([A-Za-z%])/g, (whole, dash: string, directive: string) => {
      if (directive === '%') return '%';
      const text = calendar[directive] ?? whole;
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
        throw new Refusal(String(message));
      },
    };
    for (const [name, value] of Object.entries({ ...variables, ...globals })) environment.set(name, value);
    return String(new jinja.Interpreter(environment).run(parse(source).parsed).value);
  }

  return (job) => {
    try {
      const text = run(job);
      return text.length > maxText ? { fault: `it wrote more than ${maxText} characters` } : { text };
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error.message };
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  };
}
