// An operation of the OpenAPI document, as the page needs it to send a request.

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description?: string;
  readonly example?: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: object }>> };
}

export interface OpenApiPaths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface SendableOperation {
  readonly method: string;
  /** With names in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** JSON; undefined if the operation has none. */
  readonly body?: string;
}

export function findOperation({ paths }: OpenApiPaths, id: string): SendableOperation | undefined {
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(methods))
      if (operationId === id) {
        const [example] = Object.values(requestBody?.content ?? {}).map((content) => content.example);
        const body = example === undefined ? undefined : JSON.stringify(example, null, 2);
        return { method: method.toUpperCase(), path, parameters, body };
      }
  return undefined;
}

/** The address of a request with these values. Query parameters without a value are left out. */
export function toAddress(
  { path, parameters }: Pick<SendableOperation, 'path' | 'parameters'>,
  values: Readonly<Record<string, string>>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && (values[parameter.name] ?? '') !== '')
    .map(({ name }) => `${name}=${encodeURIComponent(values[name] ?? '')}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

export type CurlRequest = Pick<SendableOperation, 'method' | 'body'> & { readonly url: string };

/** The same request as a shell command. */
export function toCurl({ method, url, body }: CurlRequest): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const flags = method === 'HEAD' ? ' -I' : method === 'GET' || (method === 'POST' && body) ? '' : ` -X ${method}`;
  return `curl${flags} ${quoted(url)}${body === undefined ? '' : ` -d ${quoted(body)}`}`;
}
