// Some tests repeat what they do, or do it with every variant. `npm test` repeats less, so that it ends in time.

const isThorough = process.env['HEARTH_TEST_THOROUGH'] === '1';

/** `all` with `npm run test:thorough`. */
export function thoroughly<Value>(all: Value, usual: Value): Value {
  return isThorough ? all : usual;
}
