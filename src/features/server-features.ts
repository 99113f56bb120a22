// The features that add something to the server.

import type { ServerFeature } from '../server/server-feature.ts';
import { batchesServer } from './batches/server.ts';
import { builtinToolsServer } from './builtin-tools/server.ts';
import { cachesServer } from './caches/server.ts';
import { catalogueServer } from './catalogue/server.ts';
import { chatsServer } from './chats/server.ts';
import { checkpointsServer } from './checkpoints/server.ts';
import { documentsServer } from './documents/server.ts';
import { evalServer } from './eval/server.ts';
import { imatrixServer } from './imatrix/server.ts';
import { keysServer } from './keys/server.ts';
import { kvEventsServer } from './kv-events/server.ts';
import { mcpToolsServer } from './mcp/server.ts';
import { mcpServer } from './mcp-server/server.ts';
import { packagesServer } from './packages/server.ts';
import { remotesServer } from './remotes/server.ts';
import { speechServer } from './speech/server.ts';
import { telemetryServer } from './telemetry/server.ts';
import { usageServer } from './usage/server.ts';
import { vllmServer } from './vllm/server.ts';

export const serverFeatures: readonly ServerFeature[] = [
  keysServer,
  remotesServer,
  usageServer,
  chatsServer,
  batchesServer,
  documentsServer,
  cachesServer,
  catalogueServer,
  packagesServer,
  checkpointsServer,
  evalServer,
  imatrixServer,
  mcpServer,
  builtinToolsServer,
  mcpToolsServer,
  vllmServer,
  speechServer,
  telemetryServer,
  kvEventsServer,
];
