// The entry of the installed command: runs the bundled program next to this folder with a code cache. Without the cache,
// compiling takes a third of the time of a start.
// node20: newer versions have `module.enableCompileCache` for this.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { stateFolder } from '../base/config/state-folder.ts';
import { type CodeCache, createCodeCache } from './code-cache.ts';

interface Program {
  /** Resolves when the process has become a server. */
  readonly serving: Promise<void>;
}

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

const path = join(dirname(import.meta.dirname), 'main.js');
const bytes = readFileSync(path);
const cache = openCache();
const cachedData = cache?.read();
const wrapped = [
  Buffer.from('(function (exports, require, module, __filename, __dirname) {'),
  bytes,
  Buffer.from('\n})'),
];
// The bundler writes only ASCII, and a string of one byte per character takes half the memory.
const script = new Script(Buffer.concat(wrapped).toString('latin1'), {
  filename: path,
  ...(cachedData === undefined ? {} : { cachedData }),
});
const program = { exports: {} as Program };
const run = script.runInThisContext() as Wrapper;
run(program.exports, createRequire(path), program, path, dirname(path));

// A server has executed most of what any start needs. Other commands use its cache.
if (cachedData === undefined || script.cachedDataRejected)
  void program.exports.serving.then(() => cache?.write(() => script.createCachedData()));

function openCache(): CodeCache | undefined {
  try {
    return createCodeCache({
      // One per installation, so that an update replaces it.
      path: join(stateFolder(), 'cache', `code-${digestOf(path).slice(0, 16)}`),
      key: JSON.stringify([digestOf(bytes), process.version, process.arch]),
    });
  } catch {
    // There is no home folder.
    return undefined;
  }
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
