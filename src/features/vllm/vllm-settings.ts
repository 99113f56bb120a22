// The settings of vLLM as an engine.

import { duration, oneOf, plainText } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const vllmSettings = {
  vllm: setting(plainText, {
    default: '',
    ollama: false,
    help: 'What starts vLLM for models with ENGINE vllm: a program, the folder of a virtual environment, or a command such as `docker run … vllm/vllm-openai`, to which the arguments of `vllm` are added; empty = vllm in the PATH.',
  }),
  vllmSleep: setting(duration, {
    default: '1h',
    ollama: false,
    help: 'How long a model of vLLM with `enable_sleep_mode` sleeps after its keep_alive before it is ended; 0 = it is ended at once.',
  }),
  checkpointEngine: setting(oneOf('llama.cpp', 'vllm'), {
    default: 'llama.cpp',
    ollama: false,
    help: 'What runs models that `hearth create` makes from a folder of safetensors files, if their Modelfile has no ENGINE.',
  }),
};
