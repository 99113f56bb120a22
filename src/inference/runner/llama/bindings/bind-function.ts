// Binds a function of a shared library.

import type { LibraryHandle } from 'koffi';

/** koffi types every function as `any`. `Signature` is the type from the C header. */
export function bindFunction<Signature>(backend: LibraryHandle, declaration: string): Signature {
  return backend.func(declaration) as Signature;
}
