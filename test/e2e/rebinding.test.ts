// A web page can let its own name resolve to this machine. A server that was given a name to listen on refuses it, too.

import { request } from 'node:http';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { startServer } from '../support/server.ts';

/** The status. fetch does not let callers choose the Host. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { agent: false, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

test.each(['localhost', hostname()])('a server on the name %s', async (name) => {
  const server = await startServer({ environment: { HEARTH_HOST: `${name}:0`, HEARTH_ALLOW_OPEN: '1' } });
  try {
    const { port } = new URL(server.url);
    for (const path of ['/api/tags', '/v1/models', '/openapi.json', '/']) {
      const url = server.url + path;
      const evil = `evil.example:${port}`;
      expect([path, await statusOf(url, { host: evil })]).toEqual([path, 403]);
      expect([path, await statusOf(url, { host: evil, origin: `http://${evil}` })]).toEqual([path, 403]);
      expect([path, await statusOf(url, { host: `${name}.evil.example:${port}` })]).toEqual([path, 403]);
      expect([path, await statusOf(url, { host: `${name}:${port}` })]).toEqual([path, 200]);
    }
  } finally {
    await server.stop();
  }
});
