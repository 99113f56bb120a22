// Builds the OpenAPI document from the routes, with the schemas that validate their requests.

import type { TSchema } from 'typebox';
import { toDocumented } from '../body.ts';
import { withBounds } from '../receiving/field-bounds.ts';
import type { Route } from '../route.ts';
import { type OperationExample, type OperationTable, operationKey } from './operation.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: true;
  readonly description?: string;
  readonly schema: object;
  readonly example?: string;
}

type Content = Readonly<Record<string, { readonly schema: TSchema | object; readonly example?: object }>>;

interface OpenApiOptions {
  readonly version: string;
  readonly operations: OperationTable;
}

export function toOpenApi(routes: readonly Route[], { version, operations }: OpenApiOptions): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = toPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route, operations) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Hearth', version, description: 'A local server for language models.' },
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
  };
}

// The router's `:digest` and `*` become `{digest}` and `{id}`.
function toPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{id}');
}

function tagOf({ tag, dialect }: Route): string {
  return tag ?? dialect.name;
}

function toOperation(route: Route, operations: OperationTable): Operation {
  const { method, summary, body, readsBody } = route;
  const path = toPath(route.path);
  const { description, example = {} } = operations[operationKey(route)] ?? {};
  const parameters = toParameters(route, example);
  const requestContent = body
    ? contentOf('application/json', withBounds(documented(body)), example.body)
    : readsBody
      ? contentOf('application/octet-stream', {})
      : undefined;
  return {
    summary,
    description,
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
    tags: [tagOf(route)],
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: requestContent === undefined ? undefined : { required: true, content: requestContent },
    responses: { '200': success(route), ...failures(route), default: failure(route, 'Error') },
  };
}

const anyString = { type: 'string' };

function toParameters({ path, params = {}, query = {} }: Route, example: OperationExample): Parameter[] {
  const inPath = [...toPath(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    ...toParameter(name, params[name] ?? anyString, example.path?.[name]),
    in: 'path' as const,
    required: true as const,
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({
    ...toParameter(name, schema, example.query?.[name]),
    in: 'query' as const,
  }));
  return [...inPath, ...inQuery];
}

function toParameter(name: string, given: object, example: string | undefined): Omit<Parameter, 'in'> {
  const { description, ...schema } = documented(given) as { readonly description?: string };
  return {
    name,
    description,
    schema,
    example,
  };
}

function success({ response, streams, dialect }: Route): Operation['responses'][string] {
  const content = {
    ...(response === undefined ? {} : json(response)),
    ...(streams === undefined ? {} : { [dialect.framing.contentType]: { schema: documented(streams) } }),
  };
  const description = streams === undefined ? 'Success' : 'One object or a stream of objects';
  return Object.keys(content).length === 0 ? { description } : { description, content };
}

function contentOf(type: string, schema: object, example?: object): Content {
  return { [type]: { schema, example } };
}

function failures(route: Route): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(route.failures ?? {}).map(([status, reason]) => [status, failure(route, reason)]),
  );
}

function failure({ dialect }: Route, description: string): Operation['responses'][string] {
  return { description, content: json(dialect.errorSchema) };
}

function json(schema: TSchema): Content {
  return contentOf('application/json', documented(schema));
}

const documented = (schema: object): object => toDocumented(schema) as object;
