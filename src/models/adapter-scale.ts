// One entry of the option `adapters`: which adapter of the model, and how strongly it applies.
//
//   text = id [ "=" scale ]        such as 0 or 1=0.5

interface AdapterScale {
  /** Position among the adapters of the model, from 0. */
  readonly id: number;
  readonly scale: number;
}

// Far beyond any useful value. Larger ones overflow 16-bit floats.
const maxScale = 1000;
const pattern = /^(\d{1,4})(?:=([+-]?(?:\d{1,4}(?:\.\d{0,20})?|\.\d{1,20})(?:e-\d{1,3})?))?$/;

/** Accepts a number, a text, or an object such as {"id": 0, "scale": 0.5}. Undefined: invalid. */
export function parseAdapterScale(value: unknown): AdapterScale | undefined {
  if (typeof value === 'number') return checked(value, 1);
  if (typeof value === 'string') {
    const [, id, scale = '1'] = pattern.exec(value) ?? [];
    return id === undefined ? undefined : checked(Number(id), Number(scale));
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, scale = 1 } = value as { readonly id?: unknown; readonly scale?: unknown };
  return typeof id === 'number' && typeof scale === 'number' ? checked(id, scale) : undefined;
}

function checked(id: number, scale: number): AdapterScale | undefined {
  const isId = Number.isInteger(id) && id >= 0 && id < 10_000;
  return isId && Math.abs(scale) <= maxScale ? { id, scale } : undefined;
}

/** The text form. */
export function formatAdapterScale({ id, scale }: AdapterScale): string {
  return scale === 1 ? String(id) : `${id}=${scale}`;
}
