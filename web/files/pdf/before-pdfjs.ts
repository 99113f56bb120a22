// pdf.js takes the messages of a worker that has no `window`: it would be the worker itself. Here it is only a library.

Object.assign(globalThis, { window: globalThis });
