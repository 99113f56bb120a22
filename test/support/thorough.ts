// Some tests repeat what they do, or do it with every variant. `npm test` repeats less, so that it ends in time.

// `npm run fuzz` sets the seed.
const isThorough = process.env['HEARTH_TEST_THOROUGH'] === '1' || process.env['HEARTH_TEST_SEED'] !== undefined;

/** `all` with `npm run test:thorough` and `npm run fuzz`. */
export function thoroughly<Value>(all: Value, usual: Value): Value {
  return isThorough ? all : usual;
}
