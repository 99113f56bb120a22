// Converts WebP files to PNG, which the engine reads. The decoder is libwebp as WebAssembly. It runs in a thread of its
// own for each image: the memory that it took is free afterwards, and a file that takes too long is ended. One image is
// converted at a time, and clients take turns.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createDeferred, type Deferred } from '../../base/deferred.ts';
import { HearthError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { damaged } from './limits.ts';
import { createConvert } from './webp-program.ts';

/** The file was checked: its size is within the limits. Rejects with `bad_request`, or with `busy`. */
export type ConvertWebp = (file: Buffer) => Promise<Buffer>;

interface WebpLimits {
  /** For one image. */
  readonly milliseconds: number;
  /** Images that wait for the thread. */
  readonly waiting: number;
}

// The largest image takes about four seconds on a slow machine.
const defaultLimits: WebpLimits = { milliseconds: 30_000, waiting: 128 };
const heapMegabytes = 64;

interface Job {
  readonly file: Buffer;
  readonly client: string;
  readonly result: Deferred<Buffer>;
}

export function createWebpConverter(clock: Clock, limits: WebpLimits = defaultLimits) {
  let waiting: Job[] = [];
  let running: Worker | undefined;
  let lastClient: string | undefined;

  function runNext(): void {
    if (running !== undefined) return;
    const job = waiting.find(({ client }) => client !== lastClient) ?? waiting[0];
    if (job === undefined) return;
    waiting = waiting.filter((other) => other !== job);
    lastClient = job.client;
    const worker = startWorker(job.file);
    running = worker;
    const timer = clock.after(limits.milliseconds, () => {
      job.result.reject(new HearthError('bad_request', 'the WebP takes too long to decode: send a PNG or a JPEG'));
      void worker.terminate();
    });
    worker.on('message', (png: Uint8Array) => job.result.resolve(Buffer.from(png.buffer, png.byteOffset, png.length)));
    worker.on('error', () => job.result.reject(damaged('webp', 'it cannot be decoded')));
    worker.on('exit', () => {
      timer.cancel();
      running = undefined;
      job.result.reject(new HearthError('shutting_down', 'the server is shutting down'));
      runNext();
    });
  }

  return {
    /** Images of other clients come first. */
    async convert(file: Buffer, client: string): ReturnType<ConvertWebp> {
      if (waiting.length >= limits.waiting) throw new HearthError('busy', 'server busy: too many images are waiting');
      const result = createDeferred<Buffer>();
      waiting.push({ file, client, result });
      runNext();
      return result.promise;
    },
    /** Ends the thread. */
    stop(): void {
      for (const { result } of waiting.splice(0))
        result.reject(new HearthError('shutting_down', 'the server is shutting down'));
      void running?.terminate();
    },
  };
}

function startWorker(file: Buffer): Worker {
  return new Worker(program(), {
    eval: true,
    env: {},
    execArgv: [],
    workerData: file,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
}

function program(): string {
  const { resolve } = createRequire(import.meta.filename);
  const decoder = JSON.stringify(pathToFileURL(resolve('@jsquash/webp/decode.js')).href);
  const wasm = JSON.stringify(resolve('@jsquash/webp/codec/dec/webp_dec.wasm'));
  return `
    const { parentPort, workerData } = require('node:worker_threads');
    // The decoder is made for browsers, and returns its pixels in this.
    globalThis.ImageData = function (data, width, height) { return { data, width, height }; };
    (async () => {
      const { default: decode, init } = await import(${decoder});
      await init(new WebAssembly.Module(require('node:fs').readFileSync(${wasm})));
      const png = await (${createConvert})({ decode, deflateSync: require('node:zlib').deflateSync })(workerData);
      parentPort.postMessage(png, png.byteLength === png.buffer.byteLength ? [png.buffer] : []);
    })();
  `;
}
