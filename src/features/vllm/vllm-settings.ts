// The settings of vLLM as an engine.

import { oneOf, plainText } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const vllmSettings = {
  vllm: setting(plainText, {
    default: '',
    ollama: false,
    help: 'What starts vLLM for models with ENGINE vllm: a program, the folder of a virtual environment, or a command such as `docker run … vllm/vllm-openai`, to which the arguments of `vllm` are added; empty = vllm in the PATH.',
  }),
  checkpointEngine: setting(oneOf('llama.cpp', 'vllm'), {
    default: 'llama.cpp',
    ollama: false,
    help: 'What runs models that `hearth create` makes from a folder of safetensors files, if their Modelfile has no ENGINE.',
  }),
};
