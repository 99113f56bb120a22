// A proxy between a server and a registry that does as it is told: passes on, counts, and breaks things (faults.ts).
// The Host header goes through as it is, so that addresses in the registry's answers lead to the proxy again.

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
import { type Fault, type OwnAnswer, toOwnAnswer } from './faults.ts';

export interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly range: string | undefined;
  readonly headers: IncomingMessage['headers'];
  /** Requests of the same method and path before this one. */
  readonly earlier: number;
  /** Of the answer; 0 as long as there is none. */
  status: number;
  /** Of the body, as far as they have left this process. */
  bytesDown: number;
  bytesUp: number;
}

/** Decides for each request what goes wrong; undefined: nothing. */
export type FaultPlan = (request: SeenRequest) => Fault | undefined;

export interface FaultProxy {
  readonly url: string;
  readonly host: string;
  /** In the order in which they came. */
  readonly requests: readonly SeenRequest[];
  plan(faults: FaultPlan): void;
  /** Of the bodies of all answers whose path holds the text. */
  bytesDown(pathPart?: string): number;
  /** How many requests have this method and hold the text in their path. */
  count(method: string, pathPart?: string): number;
  /** Forgets what was counted. */
  reset(): void;
  /** Breaks all connections that are open now. */
  cutAll(): void;
  stop(): Promise<void>;
}

/** The target may be told later, for one that has to know the proxy's address first. */
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
    const to = typeof target === 'string' ? target : target();
    handle({ target: to, request, response, seen, fault: faults(seen) }).catch(() => response.destroy());
  });
  // A slow line is what this is for.
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const among = (part: string) => requests.filter(({ path }) => path.includes(part));
  return {
    url: `http://${host}`,
    host,
    requests,
    plan(next) {
      faults = next;
    },
    bytesDown: (part = '') => among(part).reduce((sum, { bytesDown }) => sum + bytesDown, 0),
    count: (method, part = '') => among(part).filter((request) => request.method === method).length,
    reset: () => void requests.splice(0),
    cutAll: () => server.closeAllConnections(),
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
  if (fault?.kind === 'cut' && fault.beforeHead) {
    response.destroy();
    return;
  }
  const own = toOwnAnswer(fault);
  if (own !== undefined) {
    request.resume();
    return answerAlone(exchange, own);
  }
  const answer = await ask(exchange);
  const headers = { ...answer.headers };
  if (fault?.kind === 'headers') Object.assign(headers, fault.headers);
  for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name];
  if (fault?.kind === 'wrong length') {
    headers['content-length'] = String(Number(headers['content-length']) + fault.by);
    // Behind a wrong length nothing on the connection can be understood.
    headers.connection = 'close';
  }
  seen.status = answer.statusCode ?? 502;
  response.writeHead(seen.status, headers);
  response.flushHeaders();
  await passDown(exchange, answer);
  if (fault?.kind === 'wrong length') response.destroy();
  else response.end();
}

async function answerAlone({ response, seen }: Exchange, { status, headers, body }: OwnAnswer): Promise<void> {
  seen.status = status;
  response.writeHead(status, headers);
  for await (const chunk of body) if (seen.method !== 'HEAD') await send(response, chunk, seen);
  response.end();
}

async function ask({ target, request, response, seen, fault }: Exchange): Promise<IncomingMessage> {
  const headers = { ...request.headers };
  if (fault?.kind === 'whole') delete headers.range;
  const upstream = httpRequest(target + (request.url ?? ''), { method: seen.method, headers, agent: false });
  // Whoever leaves takes the other side along.
  response.on('close', () => upstream.destroy());
  upstream.on('error', () => {});
  passUp(request, upstream, seen, fault).catch(() => {});
  const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
  return answer;
}

async function passUp(
  request: IncomingMessage,
  upstream: ClientRequest,
  seen: SeenRequest,
  fault: Fault | undefined,
): Promise<void> {
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const room = fault?.kind === 'cut upload' ? fault.afterBytes - seen.bytesUp : chunk.length;
    const part = chunk.subarray(0, Math.max(0, room));
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

async function passDown({ response, seen, fault }: Exchange, answer: IncomingMessage): Promise<void> {
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    for (const part of inParts(chunk, fault)) {
      const piece = shape(part, seen.bytesDown, fault);
      await send(response, piece, seen);
      if (fault?.kind === 'slow') await pause((piece.length / fault.bytesPerSecond) * 1000);
      if (piece.length < part.length) return breakOff(response, fault);
    }
  }
}

/** A slow line trickles, twenty times a second. */
function inParts(chunk: Buffer, fault: Fault | undefined): Buffer[] {
  const size = fault?.kind === 'slow' ? Math.max(1, Math.floor(fault.bytesPerSecond / 20)) : chunk.length;
  const parts: Buffer[] = [];
  for (let at = 0; at < chunk.length; at += size) parts.push(chunk.subarray(at, at + size));
  return parts;
}

/** The part as it goes on; shorter when this is where the fault strikes. */
function shape(part: Buffer, offset: number, fault: Fault | undefined): Buffer {
  switch (fault?.kind) {
    case 'cut':
    case 'stall':
      return part.subarray(0, Math.max(0, fault.afterBytes - offset));
    case 'changed': {
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

async function breakOff(response: ServerResponse, fault: Fault | undefined): Promise<void> {
  if (fault?.kind === 'stall') await once(response, 'close');
  response.destroy();
}

/** Resolves when the bytes have left the process, and throws when nobody is there to take them. */
async function send(response: ServerResponse, chunk: Uint8Array, seen: SeenRequest): Promise<void> {
  if (response.destroyed) throw new Error('the client has gone');
  if (chunk.length === 0) return;
  let onClose = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      onClose = () => reject(new Error('the client has gone'));
      response.once('close', onClose);
      response.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    seen.bytesDown += chunk.length;
  } finally {
    response.off('close', onClose);
  }
}
