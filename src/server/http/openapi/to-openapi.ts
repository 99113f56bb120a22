// The OpenAPI document, made from the routes themselves: what validates a request is what describes it.

import type { TSchema } from 'typebox';
import { ErrorBody } from '../../dialects/ollama/responses-schema.ts';
import { isOpenAiPath } from '../../dialects/openai/error-response.ts';
import { OpenAiErrorBody } from '../../dialects/openai/responses-schema.ts';
import type { Route } from '../route.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation {
  readonly summary: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: TSchema | object }>>;

export function toOpenApi(routes: readonly Route[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = toPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route) };
  }
  const names = [...new Set(routes.map(({ path }) => tagOf(path)))];
  return {
    openapi: '3.1.0',
    info: { title: 'Hearth', version, description: 'A server for language models on your own machine.' },
    tags: names.map((name) => ({ name })),
    paths,
  };
}

// The router's `:digest` and `*` are `{digest}` and `{id}` here.
function toPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{id}');
}

function tagOf(path: string): string {
  if (isOpenAiPath(path)) return 'OpenAI';
  return path.startsWith('/api/') ? 'Native' : 'About';
}

function toOperation(route: Route): Operation {
  const { method, path, summary = `${method} ${path}`, body, readsBody } = route;
  const parameters = [...toPath(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const requestContent = body ? json(body) : readsBody ? { 'application/octet-stream': { schema: {} } } : undefined;
  return {
    summary,
    operationId: `${method.toLowerCase()}${toPath(path).replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
    tags: [tagOf(path)],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestContent === undefined ? {} : { requestBody: { required: true, content: requestContent } }),
    responses: { '200': success(route), default: failure(path) },
  };
}

function success({ response, streams }: Route): Operation['responses'][string] {
  const content = {
    ...(response === undefined ? {} : json(response)),
    ...(streams === undefined ? {} : { [streams.type]: { schema: streams.each } }),
  };
  const isStream = streams !== undefined;
  const description = isStream ? 'One object, or a stream of such' : 'Success';
  return Object.keys(content).length === 0 ? { description } : { description, content };
}

function failure(path: string): Operation['responses'][string] {
  return { description: 'What went wrong', content: json(isOpenAiPath(path) ? OpenAiErrorBody : ErrorBody) };
}

function json(schema: TSchema): Content {
  return { 'application/json': { schema } };
}
