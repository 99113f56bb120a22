// npm run simulate:routing: simulates the choice among endpoints, and writes the result into docs/scale.md, between two
// comments. The result depends on nothing but the code.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSource } from './load-source.mjs';
import { root } from './setup.mjs';

const page = join(root, 'docs', 'scale.md');
const start = '<!-- simulation: written by npm run simulate:routing -->\n';
const end = '<!-- end of the simulation -->';

const { routingTable } = await loadSource('../bench/routing/report-routing.ts');
const table = routingTable();
console.log(table);
const text = readFileSync(page, 'utf8');
const from = text.indexOf(start);
const to = text.indexOf(end);
if (from === -1 || to < from) throw new Error('docs/scale.md has no place for the table');
writeFileSync(page, text.slice(0, from + start.length) + table + text.slice(to));
