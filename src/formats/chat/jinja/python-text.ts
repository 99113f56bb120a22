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
  /** The positions of JavaScript are those of UTF-16. */
  const position = (self: string, at: number): RuntimeValue =>
    integer(at === -1 ? -1 : Array.from(self.slice(0, at)).length);
  const found = (self: string, at: number): RuntimeValue => {
    if (at === -1) throw new Error('substring not found');
    return position(self, at);
  };
  const texts = (...parts: readonly string[]): RuntimeValue => list(parts.map(text));
  const matches =
    (pattern: RegExp): Method =>
    (self) =>
      boolean(pattern.test(self));
  const strip =
    (atStart: boolean, atEnd: boolean): Method =>
    (self, given) => {
      const isStripped = (character: string | undefined): boolean =>
        character !== undefined && (given === undefined ? character.trim() === '' : words(given).includes(character));
      const characters = Array.from(self);
      let [from, to] = [0, characters.length];
      while (atStart && from < to && isStripped(characters[from])) from++;
      while (atEnd && from < to && isStripped(characters[to - 1])) to--;
      return text(characters.slice(from, to).join(''));
    };
  const splitFromEnd = (self: string, mark: string, most: number): string[] => {
    const parts = self.split(mark);
    const joined = Math.max(1, most < 0 ? 1 : parts.length - most);
    return [parts.slice(0, joined).join(mark), ...parts.slice(joined)];
  };
  const methods: Readonly<Record<string, Method>> = {
    strip: strip(true, true),
    lstrip: strip(true, false),
    rstrip: strip(false, true),
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
      mark === undefined || mark.type === 'NullValue'
        ? texts(...self.split(/\s+/).filter((part) => part !== ''))
        : texts(...splitFromEnd(self, separator(mark), Number(most?.value ?? -1))),
    partition: (self, mark) => {
      const at = self.indexOf(separator(mark));
      return at === -1
        ? texts(self, '', '')
        : texts(self.slice(0, at), words(mark), self.slice(at + words(mark).length));
    },
    rpartition: (self, mark) => {
      const at = self.lastIndexOf(separator(mark));
      return at === -1
        ? texts('', '', self)
        : texts(self.slice(0, at), words(mark), self.slice(at + words(mark).length));
    },
    splitlines: (self) =>
      texts(
        ...self
          .replace(/\r\n|\r/g, '\n')
          .replace(/\n$/, '')
          .split('\n'),
      ),
    isdigit: matches(/^\p{Nd}+$/u),
    isalpha: matches(/^\p{L}+$/u),
    isalnum: matches(/^[\p{L}\p{N}]+$/u),
    isspace: matches(/^\s+$/),
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
