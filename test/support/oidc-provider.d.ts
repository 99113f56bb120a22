// The part of oidc-provider that the tests use. The package has no types.

declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Context {
    readonly path: string;
    readonly method: string;
    readonly querystring: string;
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    type: string;
    body: string;
    respond: boolean;
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (fields: {
      readonly clientId: string;
      readonly accountId: string;
    }) => Grant;
    use(middleware: (context: Context, next: () => Promise<unknown>) => Promise<unknown>): void;
    callback(): RequestListener;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
