// The fields of a schema as rows of a table, including nested ones: `messages[].role`.

/** An object with several forms has the fields of all of them, each once. */
export function listFields({ properties = {}, items, anyOf = [], required = [] }, prefix = '') {
  const own = Object.entries(properties).flatMap(([name, field]) => [
    {
      path: prefix + name,
      type: typeOf(field),
      required: required.includes(name),
      description: field.description ?? '',
    },
    ...listFields(field, `${prefix}${name}.`),
  ]);
  const nested = items ? listFields(items, `${prefix.replace(/\.$/, '')}[].`) : [];
  const forms = anyOf.flatMap((form) => listFields(form, prefix));
  return unique([...own, ...nested, ...forms]);
}

function unique(rows) {
  return [...new Map(rows.map((row) => [`${row.path} ${row.type}`, row])).values()];
}

function typeOf({ type, const: constant, enum: choices, items, anyOf }) {
  if (constant !== undefined) return JSON.stringify(constant);
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') return items ? `array of ${typeOf(items)}` : 'array';
  return type ?? 'any';
}
