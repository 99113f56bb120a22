// Names that a file exports, and names that it takes from other files.

import { dirname, join } from 'node:path';
import ts from 'typescript';
import { walk } from './read-sources.mjs';

const hasExport = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

function namesIn(binding) {
  if (ts.isIdentifier(binding)) return [binding];
  return binding.elements.filter((element) => !ts.isOmittedExpression(element)).flatMap(({ name }) => namesIn(name));
}

function namesExportedBy(statement) {
  if (ts.isExportDeclaration(statement) && statement.moduleSpecifier === undefined)
    return statement.exportClause?.elements.map(({ name }) => name) ?? [];
  if (!hasExport(statement)) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  return statement.name ? [statement.name] : [];
}

/** Exports that the file declares itself, without those that it only passes on. A type and a value of one name are one. */
export function exportsOf(source) {
  const found = new Map();
  for (const name of source.statements.flatMap(namesExportedBy))
    if (!found.has(name.text)) found.set(name.text, name.getStart(source));
  return [...found].map(([name, position]) => ({ name, position }));
}

const all = '*';

/** What is used of the module that an `import()` or a loader returns: names, or `*` where that cannot be seen. */
function namesUsedOf(call) {
  let node = call;
  while (ts.isAwaitExpression(node.parent) || ts.isParenthesizedExpression(node.parent)) node = node.parent;
  const { parent } = node;
  if (ts.isVariableDeclaration(parent)) return namesOfBinding(parent.name);
  if (!ts.isPropertyAccessExpression(parent)) return [all];
  if (parent.name.text !== 'then') return [parent.name.text];
  const [callback] = parent.parent.arguments ?? [];
  const parameter = callback && ts.isArrowFunction(callback) ? callback.parameters[0]?.name : undefined;
  if (parameter === undefined) return [all];
  if (!ts.isIdentifier(parameter)) return namesOfBinding(parameter);
  return ts.isPropertyAccessExpression(callback.body) && callback.body.expression.getText() === parameter.text
    ? [callback.body.name.text]
    : [all];
}

function namesOfBinding(binding) {
  if (!ts.isObjectBindingPattern(binding)) return [all];
  return binding.elements.map(({ propertyName, name, dotDotDotToken }) =>
    dotDotDotToken ? all : (propertyName ?? name).text,
  );
}

function namesOfClause(clause) {
  if (clause === undefined) return [];
  const names = clause.name ? ['default'] : [];
  const { namedBindings } = clause;
  if (namedBindings === undefined) return names;
  if (ts.isNamespaceImport(namedBindings)) return [...names, all];
  return [...names, ...namedBindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text)];
}

const textOf = (node) => (node && ts.isStringLiteralLike(node) ? node.text : undefined);

/** Uses in `import()`, in types such as `import('./a.ts').A`, and in scripts: `loadSource('a.ts')` loads src/a.ts. */
function usesIn(node) {
  if (ts.isImportTypeNode(node)) {
    const names = node.qualifier ? [node.qualifier.getText().split('.')[0]] : [all];
    return { specifier: textOf(node.argument.literal), names, isTypeOnly: true };
  }
  if (!ts.isCallExpression(node)) return {};
  const [argument] = node.arguments;
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return { specifier: textOf(argument), names: namesUsedOf(node) };
  if (ts.isIdentifier(node.expression) && node.expression.text === 'loadSource' && textOf(argument) !== undefined)
    return { path: join('src', textOf(argument)), names: namesUsedOf(node) };
  return {};
}

// Several checks ask.
const importsBySource = new WeakMap();

/** `{ path, names, isTypeOnly }` of every file in the repository that the file imports. */
export function importsOf(source) {
  const known = importsBySource.get(source);
  if (known !== undefined) return known;
  const imports = [];
  const add = ({ specifier, path = resolve(source.fileName, specifier), names, isTypeOnly = false }) => {
    if (path !== undefined) imports.push({ path, names, isTypeOnly });
  };
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement))
      add({
        specifier: statement.moduleSpecifier.text,
        names: namesOfClause(statement.importClause),
        isTypeOnly: statement.importClause?.isTypeOnly,
      });
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier) {
      const elements = statement.exportClause?.elements;
      const names = elements?.map(({ propertyName, name }) => (propertyName ?? name).text) ?? [all];
      add({ specifier: statement.moduleSpecifier.text, names, isTypeOnly: statement.isTypeOnly });
    }
  }
  walk(source, (node) => {
    const use = usesIn(node);
    if (use.names !== undefined) add(use);
  });
  importsBySource.set(source, imports);
  return imports;
}

function resolve(from, specifier) {
  return specifier?.startsWith('.') ? join(dirname(from), specifier) : undefined;
}
