// Signed token requests as Ollama's registry expects them: a GET whose query has the scope, the time and a nonce. The
// signature covers the entire URL. Signer and verifier build the same text.
//
//   Authorization = base64(public key blob) ":" base64(signature of the text)
//   text          = "GET," url "," base64(hex(sha256 of an empty body))

import { createHash } from 'node:crypto';
import { HearthError } from '../../base/errors.ts';
import type { PrivateKey } from './private-key.ts';
import { type PublicKey, parsePublicBlobText, toPublicBlobText, verifySignature } from './public-key.ts';

export interface TokenRequestParameters {
  /** URL of the token service, from the challenge; its query is kept. */
  readonly realm: string;
  readonly service: string;
  readonly scopes: readonly string[];
  readonly nowSeconds: number;
  /** 16 random bytes in base64url, without padding. */
  readonly nonce: string;
}

export interface TokenRequest {
  readonly url: string;
  readonly authorization: string;
}

export function signTokenRequest(key: PrivateKey, parameters: TokenRequestParameters): TokenRequest {
  const url = tokenUrl(parameters);
  const signature = key.sign(signedText(url)).toString('base64');
  return { url, authorization: `${toPublicBlobText(key.publicKey)}:${signature}` };
}

function tokenUrl({ realm, service, scopes, nowSeconds, nonce }: TokenRequestParameters): string {
  const [, address = '', query = ''] = /^([^?#]*)\??([^#]*)/.exec(realm) ?? [];
  const pairs: (readonly [string, string])[] = [
    ...new URLSearchParams(query),
    ['service', service],
    ...scopes.map((scope) => ['scope', scope] as const),
    ['ts', String(Math.floor(nowSeconds))],
    ['nonce', nonce],
  ];
  return `${address}?${encodeGoQuery(pairs)}`;
}

/** The key that signed a request for exactly this URL; throws `bad_key` for an invalid signature. */
export function checkTokenRequest({ url, authorization }: TokenRequest): PublicKey {
  const [, keyText, signatureText] = /^([^:\s]+):([A-Za-z0-9+/]{86}==)$/.exec(authorization) ?? [];
  if (keyText === undefined || signatureText === undefined)
    throw new HearthError('bad_key', 'the request is not signed: expected "<public key>:<signature>"');
  const key = parsePublicBlobText(keyText);
  if (!verifySignature(key, signedText(url), Buffer.from(signatureText, 'base64')))
    throw new HearthError('bad_key', 'the signature does not match the request');
  return key;
}

const emptyBody = Buffer.from(createHash('sha256').digest('hex')).toString('base64');

function signedText(url: string): Buffer {
  return Buffer.from(`GET,${url},${emptyBody}`);
}

type QueryPairs = readonly (readonly [key: string, value: string])[];

export function encodeGoQuery(pairs: QueryPairs): string {
  // Go compares bytes. The stable sort keeps the values of one key in order.
  const sorted = [...pairs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return sorted.map(([key, value]) => `${escapeGoQuery(key)}=${escapeGoQuery(value)}`).join('&');
}

function escapeGoQuery(text: string): string {
  // Encoding to UTF-8 and back turns lone surrogates into U+FFFD, as in Go.
  return encodeURIComponent(Buffer.from(text).toString())
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
