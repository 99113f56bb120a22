// Values of templates as Python prints them. Like createRender, the function is passed as text to the process that renders
// templates, so it may use only its parameters and the language.

import type { JinjaPackage, RuntimeValue } from './render-program.ts';

export function createPythonValues(jinja: JinjaPackage) {
  const make = (value: unknown): RuntimeValue => new jinja.Environment().set('value', value) as unknown as RuntimeValue;
  const constructorOf = (value: unknown) => make(value).constructor as new (value: unknown) => RuntimeValue;
  const TextValue = constructorOf('');
  const ListValue = constructorOf([]);
  const IntegerValue = constructorOf(0);
  const FloatValue = constructorOf(0.5);
  const BooleanValue = constructorOf(true);
  const FunctionValue = constructorOf(() => '');
  const MissingValue = constructorOf(undefined);

  const quote = (text: string): string => {
    const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
    const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
    const escaped = text.replace(/[\\\n\r\t]/g, (character) => escapes[character] as string);
    return mark + escaped.replaceAll(mark, `\\${mark}`) + mark;
  };
  const represent = (value: RuntimeValue): string =>
    value.type === 'StringValue' ? quote(value.value as string) : print(value);
  // As str() writes it: texts without quotes.
  const print = (value: RuntimeValue): string => {
    switch (value.type) {
      case 'UndefinedValue':
        return '';
      case 'NullValue':
        return 'None';
      case 'BooleanValue':
        return value.value ? 'True' : 'False';
      case 'ArrayValue':
        return `[${(value.value as RuntimeValue[]).map(represent).join(', ')}]`;
      case 'TupleValue': {
        const items = (value.value as RuntimeValue[]).map(represent);
        return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
      }
      case 'ObjectValue': {
        const entries = [...(value.value as Map<string, RuntimeValue>)];
        return `{${entries.map(([key, entry]) => `${quote(key)}: ${represent(entry)}`).join(', ')}}`;
      }
      default:
        return value.toString();
    }
  };
  // As str.format() does, with fields that have a number, a name or nothing.
  const format = (pattern: string, args: readonly RuntimeValue[]): string => {
    const last = args.at(-1);
    const named = last?.type === 'KeywordArgumentsValue' ? (last.value as Map<string, RuntimeValue>) : new Map();
    let next = 0;
    return pattern.replace(/\{\{|\}\}|\{(\w*)\}|[{}]/g, (match, field: string | undefined) => {
      if (match === '{{' || match === '}}') return match.charAt(0);
      if (field === undefined) throw new Error('format() reads only {}, {0} and {name}');
      const value = field === '' ? args[next++] : (named.get(field) ?? args[Number(field)]);
      if (value === undefined) throw new Error(`format() has no value for {${field}}`);
      return print(value);
    });
  };
  /** Equal characters are the same value: a value has a map of methods. */
  const charactersOf = (text: string): RuntimeValue[] => {
    const known = new Map<string, RuntimeValue>();
    const toValue = (character: string): RuntimeValue => {
      const value = known.get(character) ?? new TextValue(character);
      known.set(character, value);
      return value;
    };
    return Array.from(text, toValue);
  };

  return {
    text: (text: string) => new TextValue(text),
    integer: (value: number) => new IntegerValue(value),
    float: (value: number) => new FloatValue(value),
    boolean: (value: boolean) => new BooleanValue(value),
    list: (items: readonly RuntimeValue[]) => new ListValue(items),
    method: (call: (args: readonly RuntimeValue[]) => RuntimeValue) => new FunctionValue(call),
    missing: () => new MissingValue(undefined),
    none: () => make(null),
    print,
    represent,
    format,
    charactersOf,
  };
}

export type PythonValues = ReturnType<typeof createPythonValues>;
