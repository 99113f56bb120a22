// A registry on loopback that has one package, as the public registry would serve it after `npm publish`. All other
// packages come from the registry that this machine is configured for. A registry says that a package has a shrinkwrap;
// without that, as in an install from an archive, npm ignores the file.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OwnRegistry {
  readonly url: string;
  stop(): void;
}

export async function serveOwnPackage(archivePath: string): Promise<OwnRegistry> {
  const archive = readFileSync(archivePath);
  const text = (program: string, ...words: string[]) => execFileSync(program, words, { encoding: 'utf8' });
  const manifest = JSON.parse(text('tar', 'xzOf', archivePath, 'package/package.json')) as Record<string, string>;
  const hasShrinkwrap = text('tar', 'tzf', archivePath).split('\n').includes('package/npm-shrinkwrap.json');
  const upstream = text('npm', 'config', 'get', 'registry').trim().replace(/\/$/, '');
  const { name = '', version = '' } = manifest;
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;

  const server = createServer((request, response) => {
    if (request.url === `/${name}`) {
      const entry = {
        ...manifest,
        _hasShrinkwrap: hasShrinkwrap,
        dist: { tarball: `${url()}/archive.tgz`, integrity },
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: entry } }));
    } else if (request.url === '/archive.tgz') response.end(archive);
    else response.writeHead(302, { location: upstream + request.url }).end();
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: url(), stop: () => void server.close() };
}
