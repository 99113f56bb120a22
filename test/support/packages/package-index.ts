// A package index on this machine: the simple pages that pip reads, and the documents that npm reads.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PackageFiles, wheelName } from './write-packages.ts';

export interface IndexedPackage extends Pick<PackageFiles, 'name' | 'version'> {
  readonly source: 'pypi' | 'npm';
  readonly archive: Buffer;
  /** The index states the hash of something else. */
  readonly wrongHash?: boolean;
  /** The version has two wheels, so that only pip knows which one to download. */
  readonly hasBuilds?: boolean;
  /** The connection sends this many bytes and then nothing. */
  readonly stallAfter?: number;
  /** Each connection ends after this many bytes. */
  readonly breakAfter?: number;
}

export interface PackageIndex {
  /** For the server under test. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces a package of the same name. */
  add(added: IndexedPackage): void;
  /** The names of the files that were downloaded, with the first byte if it is not the first of the file. */
  readonly downloads: string[];
  stop(): Promise<void>;
}

export async function startPackageIndex(): Promise<PackageIndex> {
  const packages = new Map<string, IndexedPackage>();
  const downloads: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const [, source, name = ''] = /^\/(simple|npm)\/(.+?)\/?$/.exec(path) ?? [];
    const file = /^\/files\/(pypi|npm)\/(.+)\/([^/]+)$/.exec(path);
    if (file !== null) {
      const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      return sendFile(response, packages.get(`${file[1]}/${file[2]}`), { downloads, start });
    }
    const found = packages.get(`${source === 'simple' ? 'pypi' : source}/${name}`);
    if (found === undefined) return void response.writeHead(404).end();
    if (source === 'simple') response.setHeader('content-type', 'text/html').end(simplePage(found));
    else
      response.setHeader('content-type', 'application/json').end(npmDocument(found, `http://${request.headers.host}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: {
      PIP_INDEX_URL: `${url}/simple`,
      PIP_CONFIG_FILE: '/dev/null',
      npm_config_registry: `${url}/npm/`,
      npm_config_fetch_retries: '0',
    },
    add: (added) => void packages.set(`${added.source}/${added.name}`, added),
    downloads,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface FileRequest {
  readonly downloads: string[];
  readonly start: number;
}

function sendFile(response: ServerResponse, found: IndexedPackage | undefined, request: FileRequest): void {
  if (found === undefined) return void response.writeHead(404).end();
  const { archive, stallAfter, breakAfter } = found;
  const { downloads, start } = request;
  downloads.push(start === 0 ? fileNameOf(found) : `${fileNameOf(found)} from ${start}`);
  const rest = archive.subarray(start);
  response.writeHead(start === 0 ? 200 : 206, {
    'content-length': rest.length,
    'content-type': 'application/octet-stream',
    ...(start === 0 ? {} : { 'content-range': `bytes ${start}-${archive.length - 1}/${archive.length}` }),
  });
  if (breakAfter !== undefined && breakAfter < rest.length)
    response.write(rest.subarray(0, breakAfter), () => response.destroy());
  else if (stallAfter === undefined) response.end(rest);
  else response.write(rest.subarray(0, stallAfter));
}

function fileNameOf(found: IndexedPackage): string {
  const { source, name, version } = found;
  return source === 'pypi' ? wheelName(found) : `${name.replace(/^.*\//, '')}-${version}.tgz`;
}

function pathOf(found: IndexedPackage): string {
  return `/files/${found.source}/${found.name}/${fileNameOf(found)}`;
}

function hashOf({ archive, wrongHash }: IndexedPackage, algorithm: string, encoding: 'hex' | 'base64'): string {
  return createHash(algorithm)
    .update(wrongHash ? 'other' : archive)
    .digest(encoding);
}

/** The page of a package in PEP 503's form. */
function simplePage(found: IndexedPackage): string {
  const hash = `#sha256=${hashOf(found, 'sha256', 'hex')}`;
  const name = fileNameOf(found);
  const builds = found.hasBuilds ? [name.replace('-py3-', '-1-py3-'), name] : [name];
  const links = builds.map((file) => `<a href="${pathOf(found).replace(name, file)}${hash}">${file}</a>`);
  return `<!DOCTYPE html><html><body>${links.join('')}</body></html>`;
}

function npmDocument(found: IndexedPackage, origin: string): string {
  const { name, version } = found;
  const integrity = `sha512-${hashOf(found, 'sha512', 'base64')}`;
  const dist = { tarball: `${origin}${pathOf(found)}`, integrity, shasum: hashOf(found, 'sha1', 'hex') };
  return JSON.stringify({
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, dist } },
  });
}
