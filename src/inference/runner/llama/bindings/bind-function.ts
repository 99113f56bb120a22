// Binds a function of a shared library.

import type { KoffiFunc, LibraryHandle } from 'koffi';

/** koffi types every function as `any`. `Signature` is the type from the C header. */
export function bindFunction<Signature>(backend: LibraryHandle, declaration: string): Signature {
  return backend.func(declaration) as Signature;
}

/** The same function, called in another thread. */
export function inThread<Args extends unknown[], Result>(
  bound: (...args: Args) => Result,
): (...args: Args) => Promise<Result> {
  const { async: call } = bound as unknown as KoffiFunc<(...args: Args) => Result>;
  return (...args) =>
    new Promise((resolve, reject) => {
      call(...args, (error: Error | null, result) => (error === null ? resolve(result) : reject(error)));
    });
}
