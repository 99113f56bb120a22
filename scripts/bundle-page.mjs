// Bundles the web page in web/ into dist/page. The names of scripts and styles contain a hash of their content, so that
// browsers keep them for good. Every text file is compressed here, once, and not by the server.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './setup.mjs';

const source = join(root, 'web');
const target = join(root, 'dist', 'page');

/** What a browser loads before the page can be used. Without TLS, most browsers use gzip. */
const maxFirstLoad = { br: 60_000, gz: 80 * 1024 };

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

rmSync(target, { recursive: true, force: true });
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
};
const asFiles = {
  name: 'as-files',
  setup: ({ onLoad }) => {
    // Mermaid stays as it is, with its notices: the page passes its text to a frame, and does not run it.
    onLoad({ filter: /mermaid\.tiny\.js$/ }, ({ path }) => ({ contents: readFileSync(path), loader: 'file' }));
    // The frame can load nothing, so its script is a part of it.
    onLoad({ filter: /\.html$/ }, async ({ path }) => {
      const entryPoints = [path.replace('.html', '.ts')];
      const { outputFiles } = await build({ ...common, entryPoints, format: 'iife', write: false });
      const script = `<script>${outputFiles[0].text}</script>`;
      return { contents: readFileSync(path, 'utf8').replace('<!-- script -->', () => script), loader: 'file' };
    });
  },
};
const { metafile } = await build({
  ...common,
  plugins: [asFiles],
  entryPoints: ['web/main.tsx'],
  outdir: target,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  publicPath: '/page',
  splitting: true,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.woff2': 'file' },
  metafile: true,
});

const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({ name: basename(path), ...output }));
const entry = outputs.find(({ entryPoint }) => entryPoint === 'web/main.tsx');
const styles = basename(entry.cssBundle);
const scripts = withStaticImports(entry);

/** A script and the chunks that it cannot run without. */
function withStaticImports({ name, imports }) {
  const needed = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
  const chunks = outputs.filter((output) => needed.includes(output.name)).flatMap(withStaticImports);
  return [...new Set([name, ...chunks])];
}

function toIndex() {
  const [main, ...chunks] = scripts;
  const preloads = chunks.map((name) => `<link rel="modulepreload" href="/page/${name}">`);
  return readFileSync(join(source, 'index.html'), 'utf8')
    .replace('<!-- styles -->', `<link rel="stylesheet" href="/page/${styles}">`)
    .replace('<!-- scripts -->', [...preloads, `<script type="module" src="/page/${main}"></script>`].join('\n    '));
}

/** What the licenses of packages ask for whose code is part of the page. */
function toLicenses() {
  const inputs = [metafile, pdfWorker.metafile].flatMap((each) => Object.keys(each.inputs));
  const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  const texts = [...new Set(names)].filter(Boolean).sort().map(readLicense);
  return texts.join('\n');
}

function readLicense(name) {
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`web: ${name} has no file with its license`);
  return `# ${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

mkdirSync(target, { recursive: true });
writeFileSync(join(target, 'index.html'), toIndex());
for (const name of readdirSync(join(source, 'public')))
  writeFileSync(join(target, name), readFileSync(join(source, 'public', name)));

// A browser looks for a new version of the worker with each visit. It has one if any file of the page has changed. Files that
// the page loads later are kept, too: without the server, views and colors of code work as well. Mermaid alone is larger than all
// others together; browsers keep it after its first use.
const maxKeptBytes = 512 * 1024;
const kept = outputs.filter(({ bytes }) => bytes <= maxKeptBytes).map(({ name }) => name);
const shell = [...new Set([...scripts, styles, ...kept]), 'icon.svg', 'manifest.webmanifest'];
await build({
  ...common,
  entryPoints: ['web/worker/worker.ts'],
  outfile: join(target, 'worker.js'),
  format: 'iife',
  define: {
    shellFiles: JSON.stringify(shell.map((name) => `/page/${name}`)),
    shellHash: JSON.stringify(hashOf(['index.html', ...shell].map((name) => readFileSync(join(target, name))))),
  },
});

// Pages of PDF files are drawn in a worker, which is loaded with the first one. Its name has no hash: no script imports it.
const pdfWorker = await build({
  ...common,
  entryPoints: ['web/files/pdf/pdf-worker.ts'],
  outfile: join(target, 'pdf-worker.js'),
  format: 'esm',
  metafile: true,
});

writeFileSync(join(target, 'licenses.txt'), toLicenses());

// /docs is a page of its own, which the server makes. Its names have no hash: the server does not know the bundle.
await build({ ...common, entryPoints: ['web/docs/docs.ts'], outfile: join(target, 'docs.js'), format: 'esm' });

function hashOf(contents) {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('base64url').slice(0, 22);
}

/** Writes the compressed forms of a file, and returns what the server must know about it. */
function describe(name) {
  const content = readFileSync(join(target, name));
  const type = types[extname(name)];
  if (type === undefined) throw new Error(`web: ${name} has no content type in scripts/bundle-page.mjs`);
  const immutable = outputs.some((output) => output.name === name);
  // The page itself is the only other document.
  const sandboxed = immutable && extname(name) === '.html' ? true : undefined;
  const facts = { name, type, hash: hashOf([content]), immutable, sandboxed };
  // Fonts are compressed already.
  if (type.startsWith('font/')) return { ...facts, encodings: [] };
  writeFileSync(join(target, `${name}.gz`), gzipSync(content, { level: 9 }));
  const parameters = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(join(target, `${name}.br`), brotliCompressSync(content, { params: parameters }));
  return { ...facts, encodings: ['br', 'gzip'] };
}

const files = readdirSync(target).map(describe);
writeFileSync(join(target, 'files.json'), `${JSON.stringify(files, null, 2)}\n`);

// English texts are in the code. The page needs the first texts of another language, too.
const firstTexts = outputs.flatMap(({ name, entryPoint = '' }) =>
  /^web\/language\/.*-first\.ts$/.test(entryPoint) ? [[name]] : [],
);
for (const texts of [[], ...firstTexts])
  for (const [ending, max] of Object.entries(maxFirstLoad)) {
    const firstLoad = ['index.html', styles, ...scripts, ...texts];
    const bytes = firstLoad.reduce((sum, name) => sum + readFileSync(join(target, `${name}.${ending}`)).length, 0);
    if (bytes > max)
      throw new Error(`web: the first load has ${bytes} bytes with ${ending}, and ${max} are allowed: ${firstLoad}`);
  }
