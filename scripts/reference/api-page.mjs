// docs/reference/api.md: every route with an example as a command, and the fields of its schemas, as in /openapi.json.

import { loadSource } from '../load-source.mjs';
import { toCurl } from './curl-command.mjs';
import { listFields } from './list-fields.mjs';
import { block, code, header, table } from './markdown.mjs';

const address = 'http://127.0.0.1:11434';

const { listRoutes } = await loadSource('server/compose/list-routes.ts');
const { serverFeatures } = await loadSource('features/server-features.ts');
const { operationTable } = await loadSource('server/compose/operations/operation-table.ts');

/** Tables of this many rows or more are on the page once. */
const longTable = 8;

const introduction = `The server listens on \`${address}\`. A running server describes the same routes at \`/docs\` and \`/openapi.json\`.

- Bodies are JSON, whatever the content type says. Fields that are not listed are ignored.
- An error has a status and a JSON body in the form of the dialect; [errors](errors.md) lists the codes. An error after the beginning of a stream is its last
  object.
- A server with [keys](../sharing.md) needs one in every request: \`-H "Authorization: Bearer $HEARTH_API_KEY"\`. A key needs the scope that a route names.
- Every response has a header \`x-request-id\`, which \`DELETE /api/requests/{id}\` takes.
- [options](options.md) lists what \`options\` and \`parameters\` accept.

`;

export async function toApiReference() {
  // The services are not called.
  const parts = {
    services: { versions: {}, resumable: {} },
    featureRoutes: serverFeatures.flatMap((feature) => feature.listRoutes()),
    version: '',
  };
  const routes = listRoutes(parts);
  const { tags, paths } = await readDocument(routes);
  const entries = routes.map((route) => {
    const path = route.path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{id}');
    return { route, path, title: `${route.method} ${path}`, operation: paths[path][route.method.toLowerCase()] };
  });
  const page = createPage();
  const sections = tags.map(({ name }) => {
    const members = entries.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${listOf(members)}\n${members.map((entry) => page.toSection(entry)).join('')}`;
  });
  return header('API', 'src/server/compose/list-routes.ts') + introduction + sections.join('');
}

/** As the server sends it. */
async function readDocument(routes) {
  const reply = { type: () => reply, headers: () => reply, send: (bytes) => bytes };
  const { handle } = routes.find(({ path }) => path === '/openapi.json');
  return JSON.parse(String(await handle({ headers: {} }, reply)));
}

function listOf(entries) {
  return table(
    ['route', ''],
    entries.map(({ title, operation }) => [`[\`${title}\`](#${toAnchor(title)})`, operation.summary]),
  );
}

/** As GitHub makes anchors of headings. */
function toAnchor(title) {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function createPage() {
  /** The first section with each long table. */
  const shown = new Map();
  const fieldsOf = (label, schema, title) => {
    const isRequest = label === 'request';
    // A page of their own lists the options.
    const fields = listFields(schema).filter(({ path }) => !/^(options|parameters)\./.test(path));
    const rows = fields.map(({ path, type, required, description }) => [
      code(path),
      type,
      ...(isRequest ? [required ? 'yes' : ''] : []),
      description,
    ]);
    if (rows.length === 0) return '';
    const text = table([label, 'type', ...(isRequest ? ['required'] : []), 'description'], rows);
    const first = shown.get(text);
    if (first !== undefined) return `${label}: as in [\`${first}\`](#${toAnchor(first)}).\n\n`;
    if (rows.length >= longTable) shown.set(text, title);
    return `${text}\n`;
  };
  return {
    toSection({ route, path, title, operation }) {
      const { description, parameters = [], requestBody, responses } = operation;
      const query = parameters.filter((parameter) => parameter.in === 'query');
      const contents = Object.entries(responses['200'].content ?? {});
      // Often each object of a stream has the form of the whole response.
      const different = contents.filter(([, content], index) => index === 0 || !isSame(content, contents[0][1]));
      return [
        `### ${title}\n${description} ${scopeOf(route)}\n\n`,
        `${block('sh', commandOf(route, path))}\n`,
        ...(query.length === 0
          ? []
          : [
              `${table(
                ['query', 'description'],
                query.map(({ name, description }) => [code(name), description]),
              )}\n`,
            ]),
        fieldsOf('request', requestBody?.content['application/json']?.schema ?? {}, title),
        ...different.map(([type, { schema }]) => fieldsOf(labelOf(type), schema, title)),
      ].join('');
    },
  };
}

function commandOf({ method, path: pattern }, path) {
  const operation = operationTable[`${method} ${pattern}`];
  if (operation === undefined) throw new Error(`${method} ${pattern} has no row in src/server/compose/operations`);
  return toCurl({ method, path }, operation.example, address);
}

function isSame(first, second) {
  return JSON.stringify(first.schema) === JSON.stringify(second.schema);
}

function labelOf(type) {
  return type === 'application/json' ? 'response' : `object of the stream (${code(type)})`;
}

function scopeOf({ scope }) {
  return scope === 'open' ? 'Needs no key.' : `Scope: \`${scope}\`.`;
}
