// A server, and a registry that accepts what it pushes.

import { startRegistry, type TestRegistry } from '../support/registry/team-registry.ts';
import { startServer, type TestServer } from '../support/server.ts';

export interface Services {
  readonly server: TestServer;
  readonly registry: TestRegistry;
  stop(): Promise<void>;
}

export async function startServices(): Promise<Services> {
  const [server, registry] = await Promise.all([startServer(), startRegistry()]);
  const { public_key } = (await (await fetch(`${server.url}/api/key`)).json()) as { public_key: string };
  registry.register(public_key);
  return {
    server,
    registry,
    async stop() {
      await server.stop();
      await registry.stop();
    },
  };
}
