// All features, in the order of the help text.

import type { Feature } from './feature.ts';
import { launchFeature } from './launch/feature.ts';

export const features: readonly Feature[] = [launchFeature];
