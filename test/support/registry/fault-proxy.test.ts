// Tests the fault proxy itself, fault by fault.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

const content = randomBytes(300_000);
let origin: Server;
let uploaded = 0;
let proxy: FaultProxy;

beforeAll(async () => {
  origin = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      uploaded += chunk.length;
    });
    request.on('end', () => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const body = from === undefined ? content : content.subarray(Number(from), Number(to) + 1);
      response.writeHead(from === undefined ? 200 : 206, {
        'content-length': body.length,
        'x-host': String(request.headers.host),
      });
      response.end(body);
    });
  });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  proxy = await startFaultProxy(`http://127.0.0.1:${(origin.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await proxy.stop();
  origin.closeAllConnections();
  origin.close();
});
beforeEach(() => {
  proxy.plan(() => undefined);
  proxy.reset();
});

const get = (path: string, init: RequestInit = {}) => fetch(proxy.url + path, init);
/** Reads a body and reports whether it ended without an error. */
async function drain(
  response: Response,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ readonly bytes: Buffer; readonly complete: boolean }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      parts.push(chunk);
      length += chunk.length;
      if (length >= limit) break;
    }
    return { bytes: Buffer.concat(parts), complete: true };
  } catch {
    return { bytes: Buffer.concat(parts), complete: false };
  }
}

const compare = ({ bytes, complete }: { bytes: Buffer; complete: boolean }, expected: Buffer): string =>
  bytes.equals(expected) ? (complete ? 'complete' : 'interrupted') : 'different';

describe('the fault proxy', () => {
  it('forwards requests without a fault, and counts bytes', async () => {
    const response = await get('/a?x=1', { headers: { range: 'bytes=10-19' } });
    expect(response.status).toBe(206);
    expect(response.headers.get('x-host')).toBe(proxy.host);
    expect((await drain(response)).bytes).toEqual(content.subarray(10, 20));
    expect(compare(await drain(await get('/b')), content)).toBe('complete');
    expect(proxy.requests).toMatchObject([
      { method: 'GET', path: '/a', query: 'x=1', range: 'bytes=10-19', status: 206, bytesDown: 10, earlier: 0 },
      { method: 'GET', path: '/b', range: undefined, status: 200, bytesDown: content.length },
    ]);
    expect(proxy.bytesDown('/a')).toBe(10);
    expect(proxy.bytesDown()).toBe(content.length + 10);
    expect(proxy.count('GET')).toBe(2);
  });

  it('counts earlier requests for a path', async () => {
    proxy.plan(({ earlier }) => (earlier === 0 ? { kind: 'response', status: 503, body: 'later' } : undefined));
    expect((await get('/a')).status).toBe(503);
    expect((await get('/a')).status).toBe(200);
  });

  it('disconnects after a number of bytes or before the head', async () => {
    proxy.plan(() => ({ kind: 'disconnect', afterBytes: 1000 }));
    expect(compare(await drain(await get('/a')), content.subarray(0, 1000))).toBe('interrupted');
    expect(proxy.bytesDown()).toBe(1000);
    proxy.plan(() => ({ kind: 'disconnect', afterBytes: 0, beforeHead: true }));
    await expect(get('/a')).rejects.toThrow();
  });

  it('stalls', async () => {
    proxy.plan(() => ({ kind: 'stall', afterBytes: 1000 }));
    const reader = ((await get('/a')).body as ReadableStream<Uint8Array>).getReader();
    let length = 0;
    while (length < 1000) length += (await reader.read()).value?.length ?? 0;
    const more = reader.read().then(
      () => 'more',
      () => 'more',
    );
    expect(await Promise.race([more, new Promise((resolve) => setTimeout(resolve, 200, 'silence'))])).toBe('silence');
    await reader.cancel();
  });

  it('sends slowly', async () => {
    proxy.plan(() => ({ kind: 'slow', bytesPerSecond: 2000 }));
    const { bytes } = await drain(await get('/a', { headers: { range: 'bytes=0-999' } }));
    expect(bytes).toEqual(content.subarray(0, 1000));
    expect((await drain(await get('/a'), 300)).bytes.length).toBeLessThan(content.length);
  });

  it('ignores a range', async () => {
    proxy.plan(() => ({ kind: 'ignore range' }));
    const response = await get('/a', { headers: { range: 'bytes=10-19' } });
    expect([response.status, (await drain(response)).bytes.length]).toEqual([200, content.length]);
  });

  it('announces a wrong length', async () => {
    proxy.plan(() => ({ kind: 'wrong length', by: 5 }));
    const more = await get('/a');
    expect(more.headers.get('content-length')).toBe(String(content.length + 5));
    expect(compare(await drain(more), content)).toBe('interrupted');
    proxy.plan(() => ({ kind: 'wrong length', by: -5 }));
    expect((await drain(await get('/a'))).bytes.equals(content.subarray(0, -5))).toBe(true);
  });

  it('corrupts a byte', async () => {
    proxy.plan(() => ({ kind: 'corrupt', at: 200_000 }));
    const { bytes, complete } = await drain(await get('/a'));
    expect(complete).toBe(true);
    const differences = [...bytes.keys()].filter((index) => bytes[index] !== content[index]);
    expect(differences).toEqual([200_000]);
  });

  it('changes headers', async () => {
    proxy.plan(() => ({ kind: 'headers', headers: { 'content-range': 'bytes 5-14/20', 'x-host': '' } }));
    const { headers } = await get('/a', { headers: { range: 'bytes=0-9' } });
    expect([headers.get('content-range'), headers.get('x-host')]).toEqual(['bytes 5-14/20', null]);
  });

  it('sends an endless body', async () => {
    proxy.plan(() => ({ kind: 'endless' }));
    const response = await get('/a');
    expect(response.headers.get('content-length')).toBeNull();
    expect((await drain(response, 2_000_000)).bytes.length).toBeGreaterThanOrEqual(2_000_000);
  });

  it('sends a gzip bomb', async () => {
    proxy.plan(() => ({ kind: 'gzip bomb', unpackedBytes: 50_000_000 }));
    const response = await get('/a');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect((await drain(response)).bytes.length).toBe(50_000_000);
    expect(proxy.bytesDown()).toBeLessThan(100_000);
  });

  it('sends redirects and other responses of its own', async () => {
    proxy.plan(() => ({ kind: 'redirect', location: 'http://10.0.0.1/x' }));
    const response = await get('/a', { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([307, 'http://10.0.0.1/x']);
    proxy.plan(() => ({
      kind: 'response',
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="x"' },
      body: 'no',
    }));
    expect(await (await get('/a')).text()).toBe('no');
  });

  it('interrupts an upload', async () => {
    uploaded = 0;
    proxy.plan(() => ({ kind: 'disconnect upload', afterBytes: 70_000 }));
    await expect(get('/a', { method: 'PUT', body: content })).rejects.toThrow();
    expect(proxy.requests[0]?.bytesUp).toBe(70_000);
    await expect.poll(() => uploaded).toBe(70_000);
  });

  it('closes all open connections', async () => {
    proxy.plan(() => ({ kind: 'stall', afterBytes: 10 }));
    const bodies = await Promise.all([get('/a'), get('/b')]);
    const ends = bodies.map((response) => drain(response));
    proxy.disconnectAll();
    expect((await Promise.all(ends)).map(({ complete }) => complete)).toEqual([false, false]);
  });
});
