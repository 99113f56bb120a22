// GET / for browsers, and GET /page/*: the web page and its files.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { ApiDialect } from '../http/dialect.ts';
import type { Route } from '../http/route.ts';
import type { PageEncoding, PageFile, PageFiles } from './page-files.ts';

/** Nothing is loaded from or sent to another origin. Images that users attach are data: and blob: addresses. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** For the frame with code of models: its scripts run, without an origin, and can send nothing. */
const sandboxPolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const sandboxHeaders = { 'content-security-policy': sandboxPolicy, 'x-dns-prefetch-control': 'off' };

/** The files of the bundle that /docs uses. */
export const docsAssets = { style: '/page/docs.css', script: '/page/docs.js', icon: '/page/icon.svg' } as const;

const yearInSeconds = 365 * 24 * 60 * 60;

export function pageRoute(files: PageFiles, dialect: ApiDialect): Route {
  return {
    dialect,
    method: 'GET',
    scope: 'open',
    path: '/page/*',
    tag: 'Server',
    summary: 'Get a file of the web page',
    polled: true,
    beforeReady: true,
    handle: (request, reply) => sendPageFile(files, (request.params as { readonly '*': string })['*'], request, reply),
  };
}

type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Sends the page itself. */
export function createSendPage(files: PageFiles): SendPage {
  return (request, reply) => sendPageFile(files, 'index.html', request, reply);
}

async function sendPageFile(
  files: PageFiles,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const file = await files.find(name);
  if (file === undefined) throw new HearthError('path_not_found', `path /page/${name.slice(0, 100)} not found`);
  const encoding = chooseEncoding(file, request.headers['accept-encoding']);
  const tag = `"${file.hash}${encoding === undefined ? '' : `-${encoding}`}"`;
  void reply
    .headers(file.sandboxed ? { ...headers, ...sandboxHeaders } : headers)
    .header('cache-control', file.immutable ? `public, max-age=${yearInSeconds}, immutable` : 'no-cache')
    .header('etag', tag)
    // Only the page itself shares its address with another answer.
    .header('vary', name === 'index.html' ? 'Accept, Accept-Encoding, Origin' : 'Accept-Encoding, Origin');
  // A service worker applies to its own folder otherwise.
  if (file.name === 'worker.js') void reply.header('service-worker-allowed', '/');
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  if (encoding !== undefined) void reply.header('content-encoding', encoding);
  return reply.type(file.type).send(await files.read(file, encoding));
}

/** Ignores weights: a browser that lists an encoding accepts it. */
function chooseEncoding({ encodings }: PageFile, header: string | string[] | undefined): PageEncoding | undefined {
  const accepted = String(header ?? '')
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim());
  return encodings.find((encoding) => accepted.includes(encoding));
}
