// Descriptions and examples of the operations of llama-server's API.

import type { OperationTable } from '../../http/openapi/operation.ts';

const model = 'ember';
const choice =
  'A request that names no model gets the loaded model that was used last, otherwise Ember or the newest one.';

export const llamaServerOperations: OperationTable = {
  'POST /infill': {
    description: `Fills a gap in a text, as llama.vim and llama.vscode ask for it. The vocabulary of the model must have tokens for gaps. With n_predict 0, the texts are only evaluated, so that the next request is faster. ${choice}`,
    example: { body: { model, input_prefix: 'The sky is ', input_suffix: ' today.', n_predict: 8 } },
  },
  'POST /tokenize': {
    description: `Converts a text to the tokens of a model: the field content in the form of llama-server, prompt or messages in that of vLLM. ${choice}`,
    example: { body: { model, content: 'Why is the sky blue?', with_pieces: true } },
  },
  'POST /detokenize': {
    description: `Converts tokens of a model to text. ${choice}`,
    example: { body: { model, tokens: [72, 105] } },
  },
  'POST /apply-template': {
    description: `Writes a conversation as the prompt that the model would get. Nothing is generated. ${choice}`,
    example: { body: { model, messages: [{ role: 'user', content: 'Why is the sky blue?' }] } },
  },
  'GET /props': {
    description: `Shows the context, the slots and the template of a model. ${choice}`,
    example: { query: { model } },
  },
  'GET /slots': {
    description: `Lists the slots of a model, and which of them are in use. ${choice}`,
    example: { query: { model } },
  },
};
