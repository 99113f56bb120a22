// Every text of the page is in the catalogue of its languages, and every language has it.

import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { languages } from '../../web/language/languages.ts';

const root = new URL('../../', import.meta.url);
// /docs is a page that the server makes, in English. The service worker shows nothing.
const sources = readdirSync(new URL('web', root), { recursive: true, encoding: 'utf8' })
  .map((path) => `web/${path.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.ts$|\.d\.ts$|^web\/(docs|worker)\//.test(path))
  .map((path) => ({ path, source: read(path) }));
const catalogue = sources.filter(({ path }) => /^web\/language\/[a-z]+-texts\.ts$/.test(path));
const code = sources.filter(({ path }) => !path.startsWith('web/language/'));

function read(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(new URL(path, root), 'utf8'), ts.ScriptTarget.Latest, true);
}

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

function literalsOf(source: ts.SourceFile): string[] {
  return [...nodesOf(source)].flatMap((node) => (ts.isStringLiteralLike(node) ? [node.text] : []));
}

const known = new Set(catalogue.flatMap(({ source }) => literalsOf(source)));

test('every text of the catalogue is used', () => {
  const used = new Set(code.flatMap(({ source }) => literalsOf(source)));
  expect([...known].filter((text) => !used.has(text))).toEqual([]);
});

test('no style names a side: the page can be written from right to left', () => {
  const sides = /(?<![\w-])((margin|padding|border|inset)-(left|right)|left|right)[\w-]*:|text-align: (left|right)/;
  const styles = readdirSync(new URL('web/style', root)).map((name) => `web/style/${name}`);
  const lines = styles.flatMap((path) =>
    readFileSync(new URL(path, root), 'utf8')
      .split('\n')
      .flatMap((line) => (sides.test(line) ? [`${path}: ${line.trim()}`] : [])),
  );
  // A column of a Markdown table says on which side it is.
  expect(lines).toEqual(['web/style/markdown.css: text-align: right;']);
});

/** Elements whose content is the same in all languages. */
const sameElements = ['code', 'kbd', 'strong', 'h1'];
/** Attributes that users read. */
const shownAttributes = ['label', 'title', 'placeholder', 'aria-label', 'alt', 'text', 'action', 'empty'];
/** Words that are the same in all languages, and what only programs and developers read. */
const sameTexts = new Set([
  'Hearth',
  ...[
    'Enter',
    'Shift',
    'Esc',
    'Escape',
    'Delete',
    'Ctrl',
    'Mac',
    'Tab',
    'Files',
    'ApiError',
    'HEARTH_API_KEY',
    'MODEL',
  ],
]);
/** Code that users copy or run, shapes of icons, and what models read. */
const otherTexts =
  /^web\/(connect\/.*snippets?|preview\/(frame|to-document)|models\/modelfile|ui\/icon|chat\/ember-prompts|conversation\/(chat-title|to-conversation-request))\.tsx?$/;

/** Sentences and single capitalized words; names of files, classes, methods and headers are neither. */
function isEnglish(text: string): boolean {
  return /^[A-Z][a-z]+$|[A-Z][a-z]+[^/]* [a-z]+|^[a-z]+ [a-z]+ [a-z]+/.test(text);
}

function foundIn(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) {
    const { parent } = node;
    const tag = ts.isJsxElement(parent) ? parent.openingElement.tagName.getText() : '';
    return /\p{L}{2}/u.test(node.text) && !sameElements.includes(tag) ? node.text.trim() : undefined;
  }
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node) && !ts.isTemplateMiddleOrTemplateTail(node))
    return undefined;
  const isShown = ts.isJsxAttribute(node.parent) && shownAttributes.includes(node.parent.name.getText());
  const isEnglishText = isShown ? /\p{L}{2}/u.test(node.text) : isEnglish(node.text.trim());
  return isEnglishText && !known.has(node.text) && !sameTexts.has(node.text.trim()) && !isForDevelopers(node)
    ? node.text
    : undefined;
}

/** Whether a text of the catalogue is shown as it is: the alternative of a condition that no function translates. */
function isUntranslated(node: ts.Node): boolean {
  if (!ts.isStringLiteralLike(node) || !known.has(node.text)) return false;
  const isAlternative =
    ts.isConditionalExpression(node.parent) ||
    (ts.isBinaryExpression(node.parent) && ['||', '??'].includes(node.parent.operatorToken.getText()));
  const call = ts.findAncestor(node, ts.isCallExpression);
  return isAlternative && !['t', 'plural', 'elements'].includes(call?.expression.getText() ?? '');
}

test('no text of the catalogue is shown without its translation', () => {
  const found = code
    .filter(({ path }) => !otherTexts.test(path))
    .flatMap(({ path, source }) =>
      [...nodesOf(source)].filter(isUntranslated).map((node) => `${path}: ${node.getText()}`),
    );
  expect(found).toEqual([]);
});

/** Class names, imports, and errors that show a mistake in the code. */
function isForDevelopers(node: ts.Node): boolean {
  const { parent } = node;
  return (
    ts.isImportDeclaration(parent) ||
    (ts.isJsxAttribute(parent) && ['class', 'rel', 'sandbox'].includes(parent.name.getText())) ||
    (ts.isNewExpression(parent) &&
      parent.expression.getText() === 'Error' &&
      /ModelsProvider|#app/.test(node.getText()))
  );
}

test('no file has English text that is not in the catalogue', () => {
  const found = code
    .filter(({ path }) => !otherTexts.test(path))
    .flatMap(({ path, source }) => [...nodesOf(source)].map((node) => [path, foundIn(node)]));
  expect(found.filter(([, text]) => text !== undefined)).toEqual([]);
});

const translated = Object.entries(languages).filter(([tag]) => tag !== 'en');

describe.each(translated)('%s', (tag, { load }) => {
  const texts = async () => Object.assign({}, ...(await Promise.all(load.map((part) => part()))));

  test('has every text, and no other', async () => {
    const counted = catalogue.flatMap(({ source }) => [...nodesOf(source)].filter(ts.isPropertySignature));
    const forOne = new Set(counted.flatMap(({ type }) => (type === undefined ? [] : literalsIn(type))));
    const forOther = new Set(counted.map(({ name }) => (ts.isStringLiteral(name) ? name.text : '')));
    const keys = [...known].filter((text) => !forOne.has(text) || forOther.has(text));
    expect(Object.keys(await texts()).sort()).toEqual(keys.sort());
  });

  test('has the values of each text, and something in it', async () => {
    for (const [text, translation] of Object.entries<string | Record<string, string>>(await texts())) {
      const forms = typeof translation === 'string' ? [translation] : Object.values(translation);
      for (const form of forms) {
        expect(form.trim(), text).not.toBe('');
        const missing = valuesOf(text).filter((name) => !valuesOf(form).includes(name));
        // A form for one number can do without the number.
        expect(typeof translation === 'string' ? missing : missing.filter((name) => name !== '{count}'), text).toEqual(
          [],
        );
        expect(
          valuesOf(form).filter((name) => !valuesOf(text).includes(name)),
          text,
        ).toEqual([]);
      }
    }
  });

  test('has the forms for numbers that the language tells apart', async () => {
    // Romance languages have a form for millions, which are written in full here.
    const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories.filter((name) => name !== 'many');
    for (const [text, translation] of Object.entries<string | object>(await texts()))
      if (typeof translation === 'object') expect(Object.keys(translation).sort(), text).toEqual(categories.sort());
  });
});

function literalsIn(node: ts.Node): string[] {
  return [...nodesOf(node)].flatMap((inner) => (ts.isStringLiteral(inner) ? [inner.text] : []));
}

function valuesOf(text: string): string[] {
  return text.match(/\{\w+\}/g) ?? [];
}
