// The texts in a Jinja template that can get into a prompt: what stands outside of its tags, and the strings inside.
// Not a parser: what it takes for a text too many makes a format unknown, which is the safe side. Its time grows with
// the length of the template and not faster, whatever stands there.

const opening = /\{[%{#]-?/g;
const comment = /.*?#\}/sy;
const string = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/gs;
const inside = /((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^"'])*?)(-?[%}]\})/sy;

/** Undefined when a tag does not end. */
export function writtenTexts(source: string): string[] | undefined {
  const texts: string[] = [];
  let end = 0;
  let before = '';
  for (;;) {
    opening.lastIndex = end;
    const open = opening.exec(source);
    texts.push(trimOutside(source.slice(end, open?.index), before, open?.[0] ?? ''));
    if (!open) return texts.filter((text) => text !== '');
    const isComment = open[0].startsWith('{#');
    const rest = isComment ? comment : inside;
    rest.lastIndex = opening.lastIndex;
    const [whole, code = '', close = ''] = rest.exec(source) ?? [];
    if (whole === undefined) return undefined;
    // What it says when it refuses a conversation does not get into the prompt, nor do the blanks before it.
    if (code.trimStart().startsWith('raise_exception')) texts.push(texts.pop()?.trimEnd() ?? '');
    else texts.push(...stringsIn(code));
    before = close;
    end = rest.lastIndex;
  }
}

function stringsIn(code: string): string[] {
  return Array.from(code.matchAll(string), ([, double, single]) => fromLiteral(double ?? single ?? ''));
}

// As for chat templates: a block takes the line break behind it and the blanks before it, a dash all blank space.
function trimOutside(text: string, before: string, behind: string): string {
  let rest = text;
  if (before.startsWith('-')) rest = rest.trimStart();
  else if (before === '%}') rest = rest.replace(/^\n/, '');
  if (behind.endsWith('-')) return rest.trimEnd();
  const line = rest.lastIndexOf('\n') + 1;
  return behind === '{%' && rest.slice(line).trim() === '' ? rest.slice(0, line) : rest;
}

function fromLiteral(literal: string): string {
  const characters: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
  return literal.replace(/\\(.)/gs, (_, character: string) => characters[character] ?? character);
}
