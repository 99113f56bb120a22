// The operator % of Python's texts. Like createRender, the function is passed as text to the process that renders templates,
// so it may use only its parameters and the language.

import type { PythonValues } from './python-values.ts';
import type { RuntimeValue } from './render-program.ts';

/** Knows %s, %r, %d, %i and %f. */
export function createPrintf({ print, represent }: PythonValues) {
  const convert = (value: RuntimeValue, kind: string, precision: string | undefined): string => {
    if (kind === 's') return print(value);
    if (kind === 'r') return represent(value);
    if (!/^(?:Integer|Float|Boolean)Value$/.test(value.type)) throw new Error(`%${kind} needs a number`);
    const number = Number(value.value);
    return kind === 'f' ? number.toFixed(Math.min(Number(precision ?? 6), 100)) : String(Math.trunc(number));
  };
  return (pattern: string, args: readonly RuntimeValue[]): string => {
    let next = 0;
    const written = pattern.replace(/%(?:\.(\d{1,3}))?([srdif%])?/g, (match, precision: string | undefined, kind) => {
      if (match === '%%') return '%';
      const value = args[next++];
      if (kind === undefined || kind === '%' || value === undefined)
        throw new Error(`cannot write ${match}: %s, %r, %d, %i and %f are known, and need a value each`);
      return convert(value, kind as string, precision);
    });
    if (next < args.length) throw new Error('there are more values than the text has places');
    return written;
  };
}

export type Printf = ReturnType<typeof createPrintf>;
