// The folders of other programs, as the settings name them, and the models in them.

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../settings/setting-table.ts';
import { type CachedModel, modelsIn } from './cached-model.ts';
import { type CacheFolders, findRepositories } from './find-files.ts';

type CacheSettings = Pick<Settings, 'hfHome' | 'hfHubCache' | 'lmStudioModels'>;

/** Reads the folders each time: other programs change them. */
export function createListCached(settings: CacheSettings): () => Promise<CachedModel[]> {
  const folders = foldersOf(settings);
  return async () => (await findRepositories(folders)).flatMap(modelsIn);
}

function foldersOf({ hfHome, hfHubCache, lmStudioModels }: CacheSettings): CacheFolders {
  const usual = [join(homedir(), '.lmstudio', 'models'), join(homedir(), '.cache', 'lm-studio', 'models')];
  return {
    huggingFace: hfHubCache === '' ? join(hfHome, 'hub') : hfHubCache,
    lmStudio: lmStudioModels === '' ? usual : [lmStudioModels],
  };
}
