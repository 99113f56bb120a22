// The routes of Ollama's API.

import type { ResumableAnswers } from '../../http/resumable/resumable-answers.ts';
import type { Route } from '../../http/route.ts';
import type { Embed } from '../../services/generation/embed.ts';
import type { ShowModel } from '../../services/management/show-model.ts';
import { chatRoute } from './generation/chat-route.ts';
import { embeddingsRoute, embedRoute } from './generation/embed-route.ts';
import { generateRoute } from './generation/generate-route.ts';
import { resumeRoute } from './generation/resume-route.ts';
import { createRoute } from './models/create-route.ts';
import { copyRoute, deleteRoute } from './models/manage-route.ts';
import { showRoute } from './models/show-route.ts';
import { tagsRoute } from './models/tags-route.ts';
import { meRoute } from './status/me-route.ts';
import { psRoute } from './status/ps-route.ts';
import { rootRoute } from './status/root-route.ts';
import { versionRoute } from './status/version-route.ts';
import { blobHeadRoute, blobPostRoute } from './transfer/blobs-route.ts';
import { pullRoute, pushRoute } from './transfer/transfer-route.ts';

type OllamaServices = Parameters<typeof chatRoute>[0] &
  Parameters<typeof generateRoute>[0] &
  Parameters<typeof createRoute>[0] &
  Parameters<typeof pullRoute>[0] &
  Parameters<typeof pushRoute>[0] & {
    readonly versions: Parameters<typeof versionRoute>[0];
    readonly embed: Embed;
    readonly showModel: ShowModel;
    readonly listModelCards: Parameters<typeof tagsRoute>[0];
    readonly listLoaded: Parameters<typeof psRoute>[0];
    readonly copyModel: Parameters<typeof copyRoute>[0];
    readonly deleteModel: Parameters<typeof deleteRoute>[0];
    readonly checkBlob: Parameters<typeof blobHeadRoute>[0];
    readonly receiveBlob: Parameters<typeof blobPostRoute>[0];
    /** Absent: no answer can be resumed. */
    readonly resumable?: ResumableAnswers | undefined;
    /** Absent: the web page is switched off. */
    readonly sendPage?: Parameters<typeof rootRoute>[0];
  };

export function ollamaRoutes(services: OllamaServices): Route[] {
  const { resumable, logger, embed } = services;
  return [
    rootRoute(services.sendPage),
    versionRoute(services.versions),
    meRoute,
    psRoute(services.listLoaded, services.clock),
    tagsRoute(services.listModelCards),
    showRoute(services.showModel),
    createRoute(services),
    pullRoute(services),
    pushRoute(services),
    copyRoute(services.copyModel),
    deleteRoute(services.deleteModel),
    blobHeadRoute(services.checkBlob),
    blobPostRoute(services.receiveBlob),
    generateRoute(services),
    chatRoute(services),
    ...(resumable ? [resumeRoute({ resumable, logger })] : []),
    embedRoute(embed),
    embeddingsRoute(embed),
  ];
}
