// How models are loaded and run.

import {
  count,
  duration,
  engineBuild,
  flag,
  folderChoice,
  kvCacheType,
  kvCacheTypeOrSame,
  list,
  oneOf,
  path,
  shareList,
  size,
  triState,
} from '../base/config/kinds.ts';
import { setting } from '../base/config/setting.ts';

export const engineSettings = {
  keepAlive: setting(duration, {
    default: '5m',
    ollama: true,
    help: 'How long a model stays loaded after its last request; a negative value keeps it loaded.',
  }),
  preload: setting(list, {
    default: '',
    ollama: false,
    help: 'Models to load after the start, one after another. They stay loaded as after a request.',
  }),
  loadTimeout: setting(duration, {
    default: '5m',
    ollama: true,
    help: 'How long a load may make no progress before it is aborted; 0 or a negative value disables the limit.',
  }),
  maxLoadedModels: setting(count, {
    default: '3',
    ollama: true,
    help: 'Maximum number of loaded models; 0 = the default of 3.',
  }),
  maxQueue: setting(count, {
    default: '512',
    ollama: true,
    help: 'Maximum number of requests that wait for one model; further requests are rejected with status 503, except the first one of each client.',
  }),
  numParallel: setting(count, {
    default: '0',
    ollama: true,
    help: 'Parallel requests per model, each with its full context; 0 = automatic: on a GPU up to 256, otherwise 8, or fewer if memory does not allow it.',
  }),
  slotTime: setting(duration, {
    default: '5s',
    ollama: false,
    help: 'How long an answer may be generated before it is paused for a waiting request of another client that has fewer running; it continues later; -1 = never paused.',
  }),
  contextLength: setting(count, {
    default: '0',
    ollama: true,
    help: 'Context length for requests without num_ctx; 0 = automatic: the longest one that memory allows, at most the trained length of the model.',
  }),
  memoryBudget: setting(size, {
    default: '0',
    ollama: false,
    help: 'Main memory for all loaded models; 0 = 90 % of the memory of the machine or container.',
  }),
  gpuOverhead: setting(size, {
    default: '512MiB',
    ollama: true,
    help: 'Memory to leave free on each GPU.',
  }),
  splitMode: setting(oneOf('auto', 'none', 'layer', 'row'), {
    default: 'auto',
    ollama: false,
    help: 'How several GPUs share a model, for requests without split_mode: none = only main_gpu, layer = by layers, row = by rows of matrices, where the backend supports it; auto = none if main_gpu is above 0, otherwise layer.',
  }),
  tensorSplit: setting(shareList, {
    default: '',
    ollama: false,
    help: 'Shares of a model that the GPUs get, such as 3,1, for requests without tensor_split; empty = by free memory.',
  }),
  prefixCache: setting(size, {
    default: '512MiB',
    ollama: false,
    help: 'Memory per loaded model for the prefix cache, which keeps evaluated prompts for reuse, within what the models leave of the memory budget; 0 disables it.',
  }),
  cache: setting(folderChoice, {
    default: 'auto',
    ollama: false,
    help: 'Folder for evaluated prompts, which are read again after a model was unloaded or the server was restarted; the files contain what users wrote; auto = the folder `cache` next to the model store; 0 = nothing is written.',
  }),
  cacheSize: setting(size, {
    default: '8GiB',
    ollama: false,
    help: 'Maximum size of that folder; the least valuable files are removed first; 0 = nothing is written.',
  }),
  speculation: setting(flag, {
    default: 'true',
    ollama: false,
    help: 'Whether answers draft tokens that repeat earlier text and verify several in one pass; the option speculate switches it off for one request.',
  }),
  adaptThreads: setting(flag, {
    default: 'true',
    ollama: false,
    help: 'Whether a model computes with fewer threads while other programs need the processors; num_thread is then the maximum.',
  }),
  flashAttention: setting(triState, {
    default: 'auto',
    ollama: true,
    help: 'Flash attention; auto = the engine decides.',
  }),
  kvCacheType: setting(kvCacheType, {
    default: 'f16',
    ollama: true,
    help: 'KV cache data type. A model that cannot use a quantized type uses f16.',
  }),
  kvCacheTypeK: setting(kvCacheTypeOrSame, {
    default: 'same',
    ollama: false,
    help: 'Data type of the keys in the KV cache; same = kv_cache_type.',
  }),
  kvCacheTypeV: setting(kvCacheTypeOrSame, {
    default: 'same',
    ollama: false,
    help: 'Data type of the values in the KV cache; same = kv_cache_type; quantized types require flash attention.',
  }),
  backend: setting(engineBuild, {
    default: 'auto',
    ollama: 'LLM_LIBRARY',
    aliases: ['llmLibrary'],
    help: 'Backend to use; auto = the GPU backends that are found, then the CPU.',
  }),
  backends: setting(path, {
    default: '~/.hearth/backends',
    ollama: false,
    help: 'Folder of GPU backends: `hearth backend add` installs into it, and ggml backends that you built, such as libggml-hip.so, are used first.',
  }),
  sandbox: setting(flag, {
    default: 'true',
    ollama: false,
    help: 'Restrict runners with Landlock and seccomp where the kernel supports it (Linux); set it to false if a GPU driver fails.',
  }),
};
