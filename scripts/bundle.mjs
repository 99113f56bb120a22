// Bundles the program, and each script that runs in a process or thread of its own, into one file in dist/. A bundle
// starts in a fraction of the time that hundreds of modules take (docs/adr/0029).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './setup.mjs';

// The path in dist/ is the path in src/.
const entries = [
  'main',
  'code-cache/load-program',
  'inference/runner/process/main',
  'inference/runner/generate/sampling/ahead/choice-thread',
  'inference/runner/threads/watch-thread',
  'inference/runner/programs/quantize',
  'features/checkpoints/convert-program',
  'features/imatrix/imatrix-program',
  'features/documents/extract/extract-program',
  'features/documents/collections/database/index-thread',
  'features/builtin-tools/javascript/javascript-program',
  'features/speech/speech-program',
  'features/speech/decode-program',
  'features/vllm/guard-program',
  'inference/runner/programs/describe',
  'inference/runner/sandbox/launch',
  'inference/compute/thread-main',
];

// Loaded from node_modules: native code, and packages that few processes or none need.
const external = [
  'koffi',
  'undici',
  'yaml',
  'node-sqlite3-wasm',
  'pg',
  'pino',
  'light-my-request',
  'ws',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/client',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
];

const folder = join(root, 'dist');
await build({
  absWorkingDir: root,
  entryPoints: entries.map((entry) => `src/${entry}.ts`),
  outbase: 'src',
  outdir: folder,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // node20: `node:vm` can cache the code of scripts, but not of ES modules.
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  external,
  // `import()` of a package or of a module of Node becomes `require`: Node warns about `import()` in a script with a code
  // cache.
  supported: { 'dynamic-import': false },
  // Names and lines stay as they are for stack traces. `node --enable-source-maps` reads the maps.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
});
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
