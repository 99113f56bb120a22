// Finds the texts in a Jinja template that can reach a prompt: the text outside its tags and the strings inside. This is
// not a parser. It may find too many texts, and then no format matches, which is safe. It runs in linear time.

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
    const [matched, code = '', close = ''] = rest.exec(source) ?? [];
    if (matched === undefined) return undefined;
    // An error message does not reach the prompt, nor does the white space before it.
    if (code.trimStart().startsWith('raise_exception')) texts.push(texts.pop()?.trimEnd() ?? '');
    else texts.push(...stringsIn(code));
    before = close;
    end = rest.lastIndex;
  }
}

function stringsIn(code: string): string[] {
  return Array.from(code.matchAll(string), ([, double, single]) => fromLiteral(double ?? single ?? ''));
}

// Follows the settings of chat templates (trim_blocks, lstrip_blocks): a block removes the line break after it and the
// blanks before it, a dash removes all white space.
function trimOutside(text: string, before: string, after: string): string {
  let rest = text;
  if (before.startsWith('-')) rest = rest.trimStart();
  else if (before === '%}') rest = rest.replace(/^\n/, '');
  if (after.endsWith('-')) return rest.trimEnd();
  const line = rest.lastIndexOf('\n') + 1;
  return after === '{%' && rest.slice(line).trim() === '' ? rest.slice(0, line) : rest;
}

function fromLiteral(literal: string): string {
  const characters: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
  return literal.replace(/\\(.)/gs, (_, character: string) => characters[character] ?? character);
}
