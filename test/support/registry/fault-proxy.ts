// A proxy between a server and a registry that forwards and counts requests and injects faults (faults.ts). It keeps
// the Host header, so that URLs in the registry's responses point to the proxy.

import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '../processes.ts';
import { type Fault, type ProxyResponse, toProxyResponse } from './faults.ts';

export interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly range: string | undefined;
  readonly headers: IncomingMessage['headers'];
  /** Requests of the same method and path before this one. */
  readonly earlier: number;
  /** Of the response; 0 until there is one. */
  status: number;
  /** Bytes of the body that have left this process. */
  bytesDown: number;
  bytesUp: number;
}

/** The fault for a request; undefined for none. */
export type FaultPlan = (request: SeenRequest) => Fault | undefined;

export interface FaultProxy {
  readonly url: string;
  readonly host: string;
  /** In order of arrival. */
  readonly requests: readonly SeenRequest[];
  plan(faults: FaultPlan): void;
  /** Bytes of the response bodies for paths that contain the text. */
  bytesDown(pathPart?: string): number;
  /** Requests with this method and a path that contains the text. */
  count(method: string, pathPart?: string): number;
  /** Resets the counters. */
  reset(): void;
  /** Closes all open connections. */
  disconnectAll(): void;
  stop(): Promise<void>;
}

/** The target may be a function, if it has to know the proxy's address first. */
export async function startFaultProxy(target: string | (() => string)): Promise<FaultProxy> {
  const requests: SeenRequest[] = [];
  let faults: FaultPlan = () => undefined;
  const server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const method = request.method ?? '';
    const earlier = requests.filter((other) => other.method === method && other.path === path).length;
    const { headers } = request;
    const seen = { method, path, query, range: headers.range, headers, earlier, status: 0, bytesDown: 0, bytesUp: 0 };
    requests.push(seen);
    const targetUrl = typeof target === 'string' ? target : target();
    handle({ target: targetUrl, request, response, seen, fault: faults(seen) }).catch(() => response.destroy());
  });
  // Slow transfers must not time out.
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const matching = (part: string) => requests.filter(({ path }) => path.includes(part));
  return {
    url: `http://${host}`,
    host,
    requests,
    plan(next) {
      faults = next;
    },
    bytesDown: (part = '') => matching(part).reduce((sum, { bytesDown }) => sum + bytesDown, 0),
    count: (method, part = '') => matching(part).filter((request) => request.method === method).length,
    reset: () => void requests.splice(0),
    disconnectAll: () => server.closeAllConnections(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Exchange {
  readonly target: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly seen: SeenRequest;
  readonly fault: Fault | undefined;
}

async function handle(exchange: Exchange): Promise<void> {
  const { request, response, seen, fault } = exchange;
  if (fault?.kind === 'disconnect' && fault.beforeHead) {
    response.destroy();
    return;
  }
  const own = toProxyResponse(fault);
  if (own !== undefined) {
    request.resume();
    return sendOwnResponse(exchange, own);
  }
  const upstream = await forward(exchange);
  const headers = { ...upstream.headers };
  if (fault?.kind === 'headers') Object.assign(headers, fault.headers);
  for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name];
  if (fault?.kind === 'wrong length') {
    headers['content-length'] = String(Number(headers['content-length']) + fault.by);
    // After a wrong length the connection cannot be reused.
    headers.connection = 'close';
  }
  seen.status = upstream.statusCode ?? 502;
  response.writeHead(seen.status, headers);
  response.flushHeaders();
  await passDown(exchange, upstream);
  if (fault?.kind === 'wrong length') response.destroy();
  else response.end();
}

async function sendOwnResponse({ response, seen }: Exchange, { status, headers, body }: ProxyResponse): Promise<void> {
  seen.status = status;
  response.writeHead(status, headers);
  for await (const chunk of body) if (seen.method !== 'HEAD') await send(response, chunk, seen);
  response.end();
}

async function forward({ target, request, response, seen, fault }: Exchange): Promise<IncomingMessage> {
  const headers = { ...request.headers };
  if (fault?.kind === 'ignore range') delete headers.range;
  const upstream = httpRequest(target + (request.url ?? ''), { method: seen.method, headers, agent: false });
  // A client disconnect also closes the upstream connection.
  response.on('close', () => upstream.destroy());
  upstream.on('error', () => {});
  passUp(request, upstream, seen, fault).catch(() => {});
  const [upstreamResponse] = (await once(upstream, 'response')) as [IncomingMessage];
  return upstreamResponse;
}

async function passUp(
  request: IncomingMessage,
  upstream: ClientRequest,
  seen: SeenRequest,
  fault: Fault | undefined,
): Promise<void> {
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const remaining = fault?.kind === 'disconnect upload' ? fault.afterBytes - seen.bytesUp : chunk.length;
    const part = chunk.subarray(0, Math.max(0, remaining));
    await new Promise<void>((resolve, reject) => {
      upstream.write(part, (error) => (error ? reject(error) : resolve()));
    });
    seen.bytesUp += part.length;
    if (part.length < chunk.length) {
      request.socket.destroy();
      return;
    }
  }
  upstream.end();
}

async function passDown({ response, seen, fault }: Exchange, upstream: IncomingMessage): Promise<void> {
  for await (const chunk of upstream as AsyncIterable<Buffer>) {
    for (const part of splitChunk(chunk, fault)) {
      const piece = applyFault(part, seen.bytesDown, fault);
      await send(response, piece, seen);
      if (fault?.kind === 'slow') await pause((piece.length / fault.bytesPerSecond) * 1000);
      if (piece.length < part.length) return interrupt(response, fault);
    }
  }
}

/** A slow transfer sends twenty parts per second. */
function splitChunk(chunk: Buffer, fault: Fault | undefined): Buffer[] {
  const size = fault?.kind === 'slow' ? Math.max(1, Math.floor(fault.bytesPerSecond / 20)) : chunk.length;
  const parts: Buffer[] = [];
  for (let at = 0; at < chunk.length; at += size) parts.push(chunk.subarray(at, at + size));
  return parts;
}

/** Returns the part as it is sent; shorter where the fault occurs. */
function applyFault(part: Buffer, offset: number, fault: Fault | undefined): Buffer {
  switch (fault?.kind) {
    case 'disconnect':
    case 'stall':
      return part.subarray(0, Math.max(0, fault.afterBytes - offset));
    case 'corrupt': {
      const index = fault.at - offset;
      if (index < 0 || index >= part.length) return part;
      const changed = Buffer.from(part);
      changed[index] = (changed[index] as number) ^ 0xff;
      return changed;
    }
    default:
      return part;
  }
}

async function interrupt(response: ServerResponse, fault: Fault | undefined): Promise<void> {
  if (fault?.kind === 'stall') await once(response, 'close');
  response.destroy();
}

/** Resolves when the bytes have left the process; throws if the client has disconnected. */
async function send(response: ServerResponse, chunk: Uint8Array, seen: SeenRequest): Promise<void> {
  if (response.destroyed) throw new Error('the client has disconnected');
  if (chunk.length === 0) return;
  let onClose = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      onClose = () => reject(new Error('the client has disconnected'));
      response.once('close', onClose);
      response.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    seen.bytesDown += chunk.length;
  } finally {
    response.off('close', onClose);
  }
}
