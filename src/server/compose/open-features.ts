// Opens the features of the server. Some need what others offer, when all are open.

import { serverFeatures } from '../../features/server-features.ts';
import type { OpenedFeature, ServerParts } from '../server-feature.ts';
import { findOwnTools } from '../services/tools/find-tools.ts';

export function openFeatures(parts: Omit<ServerParts, 'ownTools'>): readonly OpenedFeature[] {
  const ownTools: ServerParts['ownTools'] = () => findOwnTools(features);
  const features: readonly OpenedFeature[] = serverFeatures.map((feature) => feature.open({ ...parts, ownTools }));
  return features;
}
