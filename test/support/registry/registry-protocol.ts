// A minimal client of the distribution protocol: sends requests with exactly the given path and headers, and has the
// steps that every test needs.

import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { PrivateKey } from '../../../src/models/keys/private-key.ts';
import { signTokenRequest, type TokenRequest } from '../../../src/models/keys/token-request.ts';
import { mediaTypes } from '../../../src/models/store/manifests/manifest.ts';

export interface WireReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Of a protocol error. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

export interface WireRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export function send(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: WireRequest = {},
): Promise<WireReply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes, ...errorIn(bytes) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function errorIn(body: Buffer): { readonly code: string | undefined; readonly message: string | undefined } {
  try {
    const { errors } = JSON.parse(body.toString()) as { errors?: { code: string; message: string }[] };
    return { code: errors?.[0]?.code, message: errors?.[0]?.message };
  } catch {
    return { code: undefined, message: undefined };
  }
}

export const digest = (content: Uint8Array | string): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** The signed token request that a client sends for a challenge. */
export function answerChallenge(challenge: string, key: PrivateKey, seconds = 0): TokenRequest {
  const parameter = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
  return signTokenRequest(key, {
    realm: parameter('realm'),
    service: parameter('service'),
    scopes: parameter('scope')
      .split(' ')
      .filter((scope) => scope !== ''),
    nowSeconds: Date.now() / 1000 + seconds,
    nonce: randomBytes(16).toString('base64url'),
  });
}

export const requestToken = (url: string, request: TokenRequest): Promise<WireReply> =>
  send(url, request.url.slice(request.url.indexOf('/token')), { headers: { authorization: request.authorization } });

/** The Authorization header for pushing to a repository. */
export async function obtainToken(
  url: string,
  repository: string,
  key: PrivateKey,
): Promise<{ authorization: string }> {
  const { headers } = await send(url, `/v2/${repository}/blobs/uploads/`, { method: 'POST' });
  const reply = await requestToken(url, answerChallenge(headers['www-authenticate'] ?? '', key));
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.body}`);
  return { authorization: `Bearer ${(JSON.parse(reply.body.toString()) as { token: string }).token}` };
}

export interface Target {
  readonly url: string;
  readonly repository: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The upload location as a path without the host. */
export async function beginUpload({ url, repository, headers }: Target): Promise<string> {
  const reply = await send(url, `/v2/${repository}/blobs/uploads/`, { method: 'POST', headers });
  if (reply.status !== 202) throw new Error(`${reply.status}: ${reply.body}`);
  return (reply.headers.location ?? '').replace(/^https?:\/\/[^/]+/, '');
}

export async function pushBlob(target: Target, content: Uint8Array | string): Promise<string> {
  const location = await beginUpload(target);
  const { url, headers } = target;
  const reply = await send(url, `${location}?digest=${digest(content)}`, { method: 'PUT', headers, body: content });
  if (reply.status !== 201) throw new Error(`${reply.status}: ${reply.body}`);
  return digest(content);
}

export function manifestOf(config: string, ...layers: (Uint8Array | string)[]): string {
  const part = (mediaType: string) => (content: Uint8Array | string) => {
    return { mediaType, digest: digest(content), size: Buffer.byteLength(content) };
  };
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: part(mediaTypes.config)(config),
    layers: layers.map(part(mediaTypes.model)),
  });
}

export const putManifest = ({ url, repository, headers }: Target, tag: string, body: string): Promise<WireReply> =>
  send(url, `/v2/${repository}/manifests/${tag}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': mediaTypes.manifest },
    body,
  });
