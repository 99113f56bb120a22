// What a body schema says about its fields beyond JSON schema: which empty values count as absent, and how a field is
// documented that its route checks itself. The validator ignores these keywords.

type EmptyKind = 'string' | 'array' | 'object';

export interface FieldSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly required?: readonly string[];
  /** Empty values of these types have a meaning here, or an error of their own. */
  readonly emptyValues?: readonly EmptyKind[];
  /** 0 has no meaning here. */
  readonly zeroIsAbsent?: boolean;
  /** Replaces the schema in the documentation. */
  readonly documented?: object;
}

export const fieldKeywords = ['emptyValues', 'zeroIsAbsent', 'documented'] as const satisfies (keyof FieldSchema)[];

/**
 * Whether a client means "not set". Clients in Go send every field, with null or an empty value where nothing is set;
 * other clients send the empty values of their forms.
 */
export function isAbsent({ emptyValues = [], zeroIsAbsent = false }: FieldSchema, value: unknown): boolean {
  if (value === null) return true;
  if (value === 0) return zeroIsAbsent;
  const kind = emptyKindOf(value);
  return kind !== undefined && !emptyValues.includes(kind);
}

function emptyKindOf(value: unknown): EmptyKind | undefined {
  if (value === '') return 'string';
  if (Array.isArray(value)) return value.length === 0 ? 'array' : undefined;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? 'object' : undefined;
}

/** The schema as the documentation shows it. */
export function toDocumented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toDocumented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { documented, emptyValues: _, zeroIsAbsent: __, ...rest } = schema as FieldSchema;
  return Object.fromEntries(
    Object.entries({ ...rest, ...documented }).map(([key, value]) => [key, toDocumented(value)]),
  );
}
