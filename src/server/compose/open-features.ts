// Opens the features of the server, and finds the services that others use.

import { serverFeatures } from '../../features/server-features.ts';
import type { OpenedFeature, ServerParts } from '../server-feature.ts';
import type { UploadedFiles } from '../services/documents/document-reader.ts';
import { createReadDocument } from '../services/documents/read-document.ts';
import { findOwnTools, findTools } from '../services/tools/find-tools.ts';

export function openFeatures(parts: Omit<ServerParts, 'uploadedFiles' | 'ownTools' | 'hasAccess'>) {
  // What others offer is there when all are open.
  const given: ServerParts = {
    ...parts,
    uploadedFiles: () => uploadedFiles,
    ownTools: () => findOwnTools(features),
    hasAccess: (id) => features.every((feature) => feature.hasAccess?.(id) ?? true),
  };
  const features: readonly OpenedFeature[] = serverFeatures.map((feature) => feature.open(given));
  const uploadedFiles: UploadedFiles | undefined = features.find((feature) => feature.uploadedFiles)?.uploadedFiles;
  const documents = features.find((feature) => feature.documents)?.documents;
  return {
    features,
    access: features.find((feature) => feature.access)?.access,
    readDocument: documents && createReadDocument(documents, uploadedFiles),
    tools: findTools(features),
    passages: features.find((feature) => feature.passages)?.passages,
  };
}
