// Comments of src/ and web/: none begins with a word that needs what is above it, and none is only a unit, which belongs
// into the name.

import ts from 'typescript';
import { isCode, lineOf, runAsScript, walk } from './read-sources.mjs';

const headless = /^(Of|Or|Its|Those|It)\b/;
const unit =
  /^(In )?((milli|micro|nano)?seconds|minutes|hours|days|bytes|bits|[KMGT]i?B|tokens|characters|pixels|percent|ms|µs)\.?$/i;

/** Comments with the text of all their lines; `//` on lines that follow each other is one comment. */
function commentsOf(source) {
  const ranges = new Map();
  const seen = new Set();
  const add = (found) => {
    for (const range of found ?? []) ranges.set(range.pos, range);
  };
  walk(source, (node) => {
    if (ts.isJsxText(node)) return;
    // The end of a list: what follows is before a bracket, which is no node.
    const lists = [node.statements, node.members, node.properties, node.elements, node.arguments, node.parameters];
    const ends = lists.filter((list) => list !== undefined).map(({ end }) => end);
    for (const position of [node.getFullStart(), node.getEnd(), ...ends]) {
      // Most nodes begin or end where others do.
      if (seen.has(position)) continue;
      seen.add(position);
      add(ts.getLeadingCommentRanges(source.text, position));
      add(ts.getTrailingCommentRanges(source.text, position));
    }
  });
  const comments = [];
  for (const { pos, end, kind } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const text = source.text.slice(pos, end);
    const last = comments.at(-1);
    const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const startsLine = source.text.slice(source.text.lastIndexOf('\n', pos) + 1, pos).trim() === '';
    if (isLine && startsLine && last?.isLine && lineOf(source, last.end) + 1 === lineOf(source, pos)) {
      last.text += `\n${text}`;
      last.end = end;
    } else comments.push({ pos, end, isLine, text });
  }
  return comments.map((comment) => ({ ...comment, text: wordsOf(comment.text) }));
}

const wordsOf = (text) =>
  text
    .replace(/\*\/$/, '')
    .replace(/^\s*(\/\/|\/\*+|\*)/gm, '')
    .replace(/\s+/g, ' ')
    .trim();

export function checkComments(sources) {
  const problems = [];
  const files = ['src', 'web'].flatMap((folder) => sources.filesBelow(folder)).filter(isCode);
  for (const path of files) {
    const source = sources.parse(path);
    for (const { pos, text } of commentsOf(source)) {
      const place = `${path}:${lineOf(source, pos)}`;
      const [word] = headless.exec(text) ?? [];
      if (word) problems.push(`${place}: the comment begins with "${word}": say what it is about`);
      if (unit.test(text)) problems.push(`${place}: the comment is only a unit: put it into the name`);
    }
  }
  if (files.length === 0) problems.push('no file was read: the check does not work');
  return { problems, summary: `comments of ${files.length} files` };
}

runAsScript(import.meta, checkComments);
