// The HTTP side of MCP: requests with bounded responses, to checked addresses. Imported only when a server is connected,
// because undici and the SDK are large.

import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { Agent, fetch, Response } from 'undici';
import { messageOf } from '../../../base/errors.ts';
import { createGuardedLookup } from '../../../base/net/guarded-lookup.ts';
import { isAddress, isWithinReach, type Reach } from '../../../base/net/private-address.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { type ClientTls, createClientContext } from '../../../base/tls/client-context.ts';
import { mcpLimits } from '../limits.ts';
import { Intake } from './intake.ts';
import type { HttpEntry } from './read-config.ts';

export interface OpenTransport {
  readonly transport: Transport;
  /** Why the connection has ended; undefined if it has not, or if it was closed. */
  readonly failureOf: () => string | undefined;
  readonly release: () => Promise<void>;
}

interface HttpParts {
  /** The most private addresses that are allowed. */
  readonly reach: Reach;
  readonly tls: ClientTls;
  readonly clock: Clock;
}

type Fetch = NonNullable<NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>['fetch']>;

export async function createHttpTransport(
  { url, headers }: HttpEntry,
  { reach, tls, clock }: HttpParts,
): Promise<OpenTransport> {
  const refuse = (host: string): Error => new Error(`${host} is an internal address: refused`);
  const { hostname } = new URL(url);
  // A lookup is not asked about an address.
  if (isAddress(hostname) && !isWithinReach([hostname], reach)) throw refuse(hostname);
  const secureContext = await createClientContext(tls, { showsCertificate: false });
  const agent = new Agent({
    connect: { lookup: createGuardedLookup({ reach, refuse }), secureContext, timeout: mcpLimits.listMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: mcpLimits.parallelCalls + 4,
  });
  const intake = new Intake(clock);
  let failure: string | undefined;
  const send = async (target: string | URL, init: Parameters<typeof fetch>[1]): Promise<Response> => {
    // A stream of its own for notifications would stay open for as long as the server. Lists of tools are asked for again.
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const response = await fetch(target, { ...init, dispatcher: agent });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const bound = createBound(intake, isStream);
    return checked(response, (chunk) => {
      try {
        bound(chunk);
      } catch (error) {
        // The SDK would wait for the rest of a stream of events.
        failure = messageOf(error);
        void transport.close();
        throw error;
      }
    });
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: send as unknown as Fetch,
    requestInit: { headers },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  return { transport, failureOf: () => failure, release: () => agent.destroy() };
}

type Check = (chunk: Uint8Array) => void;

function checked(response: Response, check: Check): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const checker = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      check(chunk);
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(checker as never) as never, { status, statusText, headers });
}

/** Throws for the bytes after the limits of a response. */
function createBound(intake: Intake, isStream: boolean): Check {
  let bytes = 0;
  let values = 0;
  return (chunk) => {
    intake.countBytes(chunk.length);
    bytes += chunk.length;
    if (isStream) for (let count = countEvents(chunk); count > 0; count -= 1) intake.countMessage();
    values += countValues(chunk);
    if (bytes > mcpLimits.messageBytes)
      throw new Error(`the server sends a response of more than ${mcpLimits.messageBytes} bytes`);
    if (values > mcpLimits.responseValues) throw new Error('the server sends a response with too many values');
  };
}

const newline = 0x0a;

/** An event ends with an empty line. */
function countEvents(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1))
    if (chunk[at + 1] === newline) count += 1;
  return count;
}

const separators = new Set([...',[{'].map((character) => character.charCodeAt(0)));

/** At least the values of a JSON text, which may be in events. Those in strings count, too. */
function countValues(chunk: Uint8Array): number {
  let count = 0;
  for (const byte of chunk) if (separators.has(byte)) count += 1;
  return count;
}
