// The option `tensor_split`: the shares of a model that several GPUs get, in the order of the GPUs.
//
//   text = share { "," share }        such as 3,1

// As many GPUs as llama.cpp supports.
const maxShares = 16;
const maxShare = 999_999;
const decimals = 1e6;
const pattern = /^\d{1,6}(?:\.\d{1,6})?(?:,\d{1,6}(?:\.\d{1,6})?){0,15}$/;

/** Accepts a text or a list of numbers. Undefined: invalid. */
export function parseShares(value: unknown): number[] | undefined {
  if (typeof value === 'string') return pattern.test(value) ? checked(value.split(',').map(Number)) : undefined;
  return Array.isArray(value) && value.length <= maxShares ? checked(value) : undefined;
}

function checked(values: readonly unknown[]): number[] | undefined {
  const shares = values.map((value) => (typeof value === 'number' ? Math.round(value * decimals) / decimals : -1));
  const isValid = shares.every((share) => share >= 0 && share <= maxShare) && shares.some((share) => share > 0);
  return isValid ? shares : undefined;
}

/** The text form. */
export function formatShares(shares: readonly number[]): string {
  return shares.join(',');
}
