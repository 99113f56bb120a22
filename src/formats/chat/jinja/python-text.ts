// Methods of Python's texts that the package lacks. Like createRender, the function is passed as text to the process that
// renders templates, so it may use only its parameters and the language.

import type { PythonValues } from './python-values.ts';
import type { RuntimeValue } from './render-program.ts';

export function createPythonText({ text, integer, boolean, list, method }: PythonValues) {
  type Method = (self: string, ...args: readonly RuntimeValue[]) => RuntimeValue;
  const words = (value: RuntimeValue | undefined): string => {
    if (value?.type !== 'StringValue') throw new Error('the method needs a text');
    return value.value as string;
  };
  const separator = (value: RuntimeValue | undefined): string => {
    if (words(value) === '') throw new Error('empty separator');
    return words(value);
  };
  const highSurrogates = /[\ud800-\udbff](?=[\udc00-\udfff])/g;
  /** The positions of JavaScript are those of UTF-16. */
  const position = (self: string, at: number): RuntimeValue =>
    integer(at === -1 ? -1 : self.slice(0, at).replace(highSurrogates, '').length);
  const found = (self: string, at: number): RuntimeValue => {
    if (at === -1) throw new Error('substring not found');
    return position(self, at);
  };
  const texts = (parts: readonly string[]): RuntimeValue => list(parts.map(text));
  const isMissing = (value: RuntimeValue | undefined): boolean => value === undefined || value.type === 'NullValue';
  // Contents can be long, so only their ends are looked at.
  const withoutFirst = (self: string, characters: ReadonlySet<string>): string => {
    let from = 0;
    for (const character of self) {
      if (!characters.has(character)) break;
      from += character.length;
    }
    return self.slice(from);
  };
  const withoutLast = (self: string, characters: ReadonlySet<string>): string => {
    let to = self.length;
    const last = (): string => Array.from(self.slice(Math.max(0, to - 2), to)).at(-1) as string;
    while (to > 0 && characters.has(last())) to -= last().length;
    return self.slice(0, to);
  };
  const lstrip: Method = (self, given) =>
    text(isMissing(given) ? self.trimStart() : withoutFirst(self, new Set(words(given))));
  const rstrip: Method = (self, given) =>
    text(isMissing(given) ? self.trimEnd() : withoutLast(self, new Set(words(given))));
  const splitFromEnd = (self: string, mark: string, most: number): string[] => {
    const parts = self.split(mark);
    const joined = Math.max(1, most < 0 ? 1 : parts.length - most);
    return [parts.slice(0, joined).join(mark), ...parts.slice(joined)];
  };
  const around = (self: string, mark: string, at: number): string[] => [
    self.slice(0, at),
    mark,
    self.slice(at + mark.length),
  ];
  const methods: Readonly<Record<string, Method>> = {
    strip: (self, given) => rstrip(lstrip(self, given).value as string, given as RuntimeValue),
    lstrip,
    rstrip,
    find: (self, part) => position(self, self.indexOf(words(part))),
    rfind: (self, part) => position(self, self.lastIndexOf(words(part))),
    index: (self, part) => found(self, self.indexOf(words(part))),
    rindex: (self, part) => found(self, self.lastIndexOf(words(part))),
    count: (self, part) =>
      integer(words(part) === '' ? Array.from(self).length + 1 : self.split(words(part)).length - 1),
    join: (self, items) => {
      if (items?.type !== 'ArrayValue') throw new Error('join() needs a list');
      return text((items.value as readonly RuntimeValue[]).map(words).join(self));
    },
    rsplit: (self, mark, most) =>
      texts(
        isMissing(mark)
          ? self.split(/\s+/).filter((part) => part !== '')
          : splitFromEnd(self, separator(mark), Number(most?.value ?? -1)),
      ),
    partition: (self, mark) => {
      const at = self.indexOf(separator(mark));
      return texts(at === -1 ? [self, '', ''] : around(self, words(mark), at));
    },
    rpartition: (self, mark) => {
      const at = self.lastIndexOf(separator(mark));
      return texts(at === -1 ? ['', '', self] : around(self, words(mark), at));
    },
    splitlines: (self) =>
      texts(
        self
          .replace(/\r\n|\r/g, '\n')
          .replace(/\n$/, '')
          .split('\n'),
      ),
    isdigit: (self) => boolean(/^\p{Nd}+$/u.test(self)),
    isalpha: (self) => boolean(/^\p{L}+$/u.test(self)),
    isalnum: (self) => boolean(/^[\p{L}\p{N}]+$/u.test(self)),
    isspace: (self) => boolean(/^\s+$/.test(self)),
    removeprefix: (self, part) => text(self.startsWith(words(part)) ? self.slice(words(part).length) : self),
    removesuffix: (self, part) =>
      text(part && words(part) !== '' && self.endsWith(words(part)) ? self.slice(0, -words(part).length) : self),
  };

  return {
    methodOfText(self: string, name: string): RuntimeValue | undefined {
      const named = Object.hasOwn(methods, name) ? methods[name] : undefined;
      return named && method((args) => named(self, ...args));
    },
  };
}

export type PythonText = ReturnType<typeof createPythonText>;
