// Generates docs/reference/ and deploy/hearth.env from the tables in the code, and writes the figures of documents. With
// --check, only compares.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSource } from './load-source.mjs';
import { toApiReference } from './reference/api-page.mjs';
import { computeLoad, deriveFigures, loadTable, readFigures, writeFigures } from './reference/figures.mjs';
import { block, code, header, table } from './reference/markdown.mjs';
import { root } from './setup.mjs';

const { settingTable, settingKeys, serverSettingKeys, environmentName, environmentNames, fileName, flagName } =
  await loadSource('settings/setting-table.ts');
const { optionTable, optionName } = await loadSource('models/options.ts');
const { instructionTable } = await loadSource('formats/modelfile/instruction-table.ts');
const { errorCatalogue } = await loadSource('base/errors.ts');
const { statusOf } = await loadSource('server/http/error-status.ts');

const references = {
  ...documentsWithFigures(),
  'docs/reference/settings.md':
    header('Settings', 'src/settings/setting-table.ts') +
    table(
      ['environment', 'file', 'flag', 'type', 'default', 'description'],
      settingKeys.map((key) => {
        const { kind, default: defaultValue, help } = settingTable[key];
        const variables = environmentNames(key);
        return [
          variables.map(code).join(' '),
          code(fileName(key)),
          serverSettingKeys.includes(key) ? code(`--${flagName(key)}`) : '',
          kind.name,
          code(defaultValue),
          help,
        ];
      }),
    ),
  'deploy/hearth.env':
    '# Settings of Hearth with their defaults. Generated from `src/settings/setting-table.ts` by `npm run references`.\n' +
    serverSettingKeys
      .map((key) => {
        const { kind, default: defaultValue, help } = settingTable[key];
        const choices = kind.name.includes(' | ') ? ` One of: ${kind.name.replaceAll(' | ', ', ')}.` : '';
        return `\n# ${help}${choices}\n#${environmentName(key)}=${defaultValue}\n`;
      })
      .join(''),
  'docs/reference/options.md':
    header('Options', 'src/models/options.ts') +
    table(
      ['option', 'type', 'default', 'scope', 'description'],
      Object.entries(optionTable).map(([key, { kind, choices, default: defaultValue, scope, help }]) => [
        code(optionName(key)),
        choices?.join(' | ') ??
          {
            int: 'integer',
            float: 'number',
            bool: 'boolean',
            strings: 'array of string',
            text: 'string',
            adapters: 'array',
            shares: 'shares',
          }[kind],
        defaultValue === undefined ? 'see description' : code(JSON.stringify(defaultValue)),
        scope === 'load' ? 'model load' : 'request',
        help,
      ]),
    ),
  'docs/reference/errors.md':
    header('Errors', 'src/base/errors.ts and src/server/http/error-status.ts') +
    table(
      ['code', 'status', 'description'],
      Object.entries(errorCatalogue).map(([name, help]) => [code(name), statusOf[name], help]),
    ),
  'docs/reference/modelfile.md':
    header('Modelfile instructions', 'src/formats/modelfile/instruction-table.ts') +
    table(
      ['instruction', 'argument', 'description', 'if repeated'],
      Object.entries(instructionTable).map(([kind, { argument, help, repeated }]) => [
        code(kind.toUpperCase()),
        argument,
        help,
        repeated,
      ]),
    ) +
    '\nAn example of each:\n' +
    block(
      '',
      Object.values(instructionTable)
        .map(({ example }) => example)
        .join('\n'),
    ) +
    '\n[Options](options.md) lists what `PARAMETER` takes, and [Modelfiles](../modelfile.md) explains the format.\n',
  'docs/reference/api.md': await toApiReference(),
};

/** README.md and the pages of docs/ that have figures. */
function documentsWithFigures() {
  const read = (name) => readFileSync(join(root, name), 'utf8');
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const scale = 'docs/scale.md';
  const sections = JSON.parse(read('docs/figures.json'));
  const figures = deriveFigures(readFigures(sections, read('docs/perf-log.md')), computeLoad(10_000, read(scale)));
  const documents = ['README.md', ...pages.map((name) => `docs/${name}`)].map((name) => [name, read(name)]);
  const written = documents
    .filter(([, text]) => text.includes('<!--='))
    .map(([name, text]) => [name, writeFigures(text, figures)]);
  const [start, end] = ['<!-- load: written by npm run references -->\n', '<!-- end of the load -->'];
  return Object.fromEntries(
    written.map(([name, text]) => {
      const [before, rest] = text.split(start);
      return [name, rest === undefined ? text : before + start + loadTable(text) + end + rest.split(end)[1]];
    }),
  );
}

const stale = Object.entries(references).filter(([name, text]) => {
  const path = join(root, name);
  return !existsSync(path) || readFileSync(path, 'utf8') !== text;
});
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`${name} is out of date; run \`npm run references\``);
  process.exit(stale.length === 0 ? 0 : 1);
}
for (const [name, text] of stale) {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
  console.log(`wrote ${name}`);
}
