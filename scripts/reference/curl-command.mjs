// A request as a command for a shell.

/** Of a body; a longer one has several lines. */
const lineLength = 90;

/** `path` is as in the OpenAPI document: `/api/keys/{name}`. */
export function toCurl({ method, path }, example, address) {
  const { body, file, form, headers = {} } = example;
  const words = ['curl'];
  if (method === 'HEAD') words.push('--head');
  // A body implies POST.
  else if (method !== 'GET' && !(method === 'POST' && (body ?? file ?? form) !== undefined)) words.push(`-X ${method}`);
  words.push(quoteUnlessPlain(address + toTarget(path, example)));
  for (const [name, value] of Object.entries(headers)) words.push(`-H ${quote(`${name}: ${value}`)}`);
  if (file !== undefined) words.push(`--data-binary @${file}`);
  for (const [name, value] of Object.entries(form ?? {})) words.push(`-F ${name}=${value}`);
  if (body !== undefined) words.push(`-d ${quote(formatJson(body))}`);
  return words.join(' ');
}

function toTarget(path, { path: values = {}, query = {} }) {
  const filled = path.replace(/\{(\w+)\}/g, (part, name) => values[name] ?? part);
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return search.length === 0 ? filled : `${filled}?${search.join('&')}`;
}

/** On one line if it fits. Otherwise each entry begins a line, and may need several itself. */
function formatJson(value, indent = '') {
  const line = formatLine(value);
  if (indent.length + line.length <= lineLength || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((entry) => inner + formatJson(entry, inner))
    : Object.entries(value).map(([name, entry]) => `${inner}${JSON.stringify(name)}: ${formatJson(entry, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${entries.join(',\n')}\n${indent}${close}`;
}

function formatLine(value) {
  if (Array.isArray(value)) return `[${value.map(formatLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${formatLine(entry)}`);
  return `{${entries.join(', ')}}`;
}

function quoteUnlessPlain(text) {
  return /^[\w./:@-]+$/.test(text) ? text : quote(text);
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
