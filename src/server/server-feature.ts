// What a feature adds to the server. `compose` opens the features of features/server-features.ts and knows nothing else
// about them.

import type { Logger } from '../base/logger.ts';
import type { ChildSettings } from '../base/process/spawn-child.ts';
import type { CallerKey } from '../base/request/caller-key.ts';
import type { ExpectedTokens, TokenMeter } from '../base/request/token-meter.ts';
import type { SharedState } from '../base/state/shared-state.ts';
import type { Clock } from '../base/time/clock.ts';
import type { BlockEvents } from '../inference/engine/block-events.ts';
import type { JudgeFile } from '../inference/engine/create-engine.ts';
import type { EnginePrograms } from '../inference/engine/hosted/engine-program.ts';
import type { Prober } from '../inference/remote/probe/prober.ts';
import type { RemoteStore } from '../inference/remote/remotes/remote-store.ts';
import type { RegistryClient } from '../models/registry-client/registry-client.ts';
import type { Store } from '../models/store/store.ts';
import type { Settings } from '../settings/setting-table.ts';
import type { AccessControl } from './http/access/access-control.ts';
import type { AuditTable } from './http/audit.ts';
import type { InternalRequests } from './http/internal-requests.ts';
import type { TraceExport } from './http/open-trace.ts';
import type { OperationTable } from './http/openapi/operation.ts';
import type { FinishedRequest } from './http/request-end.ts';
import type { Route } from './http/route.ts';
import type { CreateModel } from './services/create/create-model.ts';
import type { CreateSources } from './services/create/model-sources.ts';
import type { DocumentReader, UploadedFiles } from './services/documents/document-reader.ts';
import type { PassageSearch } from './services/documents/passage-search.ts';
import type { ToolServer, ToolServers } from './services/tools/tool-server.ts';

export interface ServerParts {
  readonly settings: Settings;
  readonly store: Store;
  /** The version of Hearth. */
  readonly version: string;
  readonly judgeFile: JudgeFile;
  /** Requests that the server sends to itself. */
  readonly requests: Pick<InternalRequests, 'send' | 'stream'>;
  /** Whether a request that is not in the background waits for a model to be loaded. */
  readonly isModelWanted: () => boolean;
  /** Whether a request that is not in the background runs a model. */
  readonly isModelUsed: () => boolean;
  /** The files that callers have uploaded, when all features are open. Undefined: there are none. */
  readonly uploadedFiles: () => UploadedFiles | undefined;
  /** For programs that run in processes of their own. */
  readonly childSettings: ChildSettings;
  /** The path of such a program. */
  scriptOf(name: string): string;
  readonly remotes: { readonly store: RemoteStore; readonly prober: Prober };
  /** Absent: each server has its own state. */
  readonly sharedState?: SharedState | undefined;
  /**
   * Whether this is the id of a key that is valid, or of a user whom nobody has barred, when all features are open. A user who
   * must sign in again is one.
   */
  hasAccess(id: string): boolean;
  /** The tools of Hearth itself, when all features are open. */
  ownTools(): ToolServer | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface OpenFeature {
  readonly access?: AccessControl & QuotaControl;
  /** As in `ServerParts`. */
  hasAccess?(id: string): boolean;
  /** Reads the documents of requests. */
  readonly documents?: DocumentReader;
  /** The files that callers have uploaded. */
  readonly uploadedFiles?: UploadedFiles;
  /** Searches the collections of callers. */
  readonly passages?: PassageSearch;
  /** Servers whose tools the server calls for models. */
  readonly toolServers?: ToolServers;
  /** Tools of Hearth itself, which are offered together with those of servers. */
  readonly ownTools?: ToolServer;
  /** Gets every request that ran a model, when it has ended. */
  recordRequest?(request: FinishedRequest): void;
  /** Whether the texts of answers are kept until then. */
  readonly keepsTexts?: boolean;
  /** Called before the server listens, when shared state is connected. Rejects if the server must not start. */
  prepare?(): Promise<void> | void;
  /** Traces are exported. */
  readonly traceExport?: TraceExport;
  /** Called when the server listens. */
  start?(): void;
  /** Called when the server begins to stop, before running answers end. */
  stop?(): void;
  close?(): Promise<void>;
}

export interface OpenedFeature extends OpenFeature {
  readonly routes: readonly Route[];
}

/** What a key may still use. */
export interface QuotaControl {
  /** Throws `rate_limited` if its tokens are used up, or if its running requests may use the rest. */
  openMeter(key: CallerKey, expected: ExpectedTokens): TokenMeter | Promise<TokenMeter>;
}

interface SourceParts {
  readonly store: Store;
  readonly registry: RegistryClient;
  /** Creates a model from files that a source has stored. */
  readonly createModel: CreateModel;
  /** For programs that run in processes of their own. */
  readonly childSettings: ChildSettings;
  /** The path of such a program. */
  scriptOf(name: string): string;
  readonly clock: Clock;
}

export interface EngineParts {
  readonly settings: Settings;
  /** For programs that run in processes of their own. */
  readonly childSettings: ChildSettings;
  /** The path of a program that runs in a process of its own. */
  scriptOf(name: string): string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OpenBlockEvents extends BlockEvents {
  /** Called before the server listens. Rejects if the server must not start. */
  listen(): Promise<void>;
  close(): void;
}

export interface ServerFeature {
  /** Rows of the documentation, one for each route. */
  readonly operations: OperationTable;
  /** Rows of the audit log. */
  readonly audit: AuditTable;
  /** Where new models come from. */
  openSources?(parts: SourceParts): Partial<CreateSources> & { close?(): void };
  /** Engines besides llama.cpp that models can name. */
  openEngines?(parts: EngineParts): EnginePrograms;
  /** Decodes recordings to WAV: mono, 16,000 samples per second, 16 bits. Rejects with `bad_request`. */
  openAudioDecoder?(parts: EngineParts): (file: Buffer, maxSeconds: number) => Promise<Buffer>;
  /** Who is told which tokens the prefix caches have. Undefined: nobody. */
  openBlockEvents?(parts: EngineParts): OpenBlockEvents | undefined;
  /** Routes that cannot be called, for documents and tests. */
  listRoutes(): readonly Route[];
  open(parts: ServerParts): OpenedFeature;
}

interface FeatureRows<Opened extends object>
  extends Partial<
    Pick<ServerFeature, 'operations' | 'audit' | 'openSources' | 'openEngines' | 'openAudioDecoder' | 'openBlockEvents'>
  > {
  open?(parts: ServerParts): Opened & OpenFeature;
  /** Uses what was opened only in the handlers of the routes. */
  routes?(opened: Opened, parts: ServerParts): readonly Route[];
}

export function toServerFeature<Opened extends object>(rows: FeatureRows<Opened>): ServerFeature {
  const { operations = {}, audit = {}, openSources, openEngines, openAudioDecoder, openBlockEvents } = rows;
  return {
    operations,
    audit,
    openSources,
    openEngines,
    openAudioDecoder,
    openBlockEvents,
    listRoutes: () => rows.routes?.({} as Opened, { settings: {} } as ServerParts) ?? [],
    open(parts) {
      const opened = rows.open?.(parts) ?? ({} as Opened & OpenFeature);
      return { ...opened, routes: rows.routes?.(opened, parts) ?? [] };
    },
  };
}
