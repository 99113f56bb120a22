// Descriptions and examples of the operations of OpenAI's API.

import type { OperationTable } from '../../http/openapi/operation.ts';

const model = 'ember';
const question = 'Why is the sky blue?';
const response = 'resp_8f14e45fceea167a';
const weather = {
  name: 'get_weather',
  description: 'Get the weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

export const openAiOperations: OperationTable = {
  'POST /v1/chat/completions': {
    description:
      'Answers a conversation: tools, structured output, images, log probabilities. With stream, the answer is server-sent events.',
    example: {
      body: {
        model,
        messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
        tools: [{ type: 'function', function: weather }],
      },
    },
  },
  'POST /v1/completions': {
    description: 'Continues one or more prompts. With suffix, the text between both is generated.',
    example: { body: { model, prompt: 'The sky is', max_tokens: 16, stream: true } },
  },
  'POST /v1/embeddings': {
    description: 'Computes a vector of length 1 for each text.',
    example: { body: { model, input: 'The sky is blue.' } },
  },
  'POST /v1/audio/transcriptions': {
    description:
      'Writes down the speech in a file: a form with the fields file and model. Others: language, prompt, temperature, response_format (json, text, srt, vtt, verbose_json), timestamp_granularities[] (word, segment), stream. WAV, MP3, FLAC and Ogg Vorbis; up to HEARTH_AUDIO_SIZE and HEARTH_AUDIO_TIME.',
    example: { form: { model: 'whisper', file: '@speech.wav' } },
  },
  'POST /v1/audio/translations': {
    description: 'As /v1/audio/transcriptions, and translates to English. The language is detected.',
    example: { form: { model: 'whisper', file: '@speech.wav' } },
  },
  'GET /v1/models': {
    description: 'Lists the models in the store. SDKs of Anthropic read the list, too.',
    example: {},
  },
  'GET /v1/models/*': { description: 'Shows one entry of the list.', example: { path: { id: model } } },
  'DELETE /v1/models/*': {
    description: 'Removes a model, like DELETE /api/delete.',
    example: { path: { id: 'my-ember' } },
  },
  'POST /v1/responses': {
    description:
      'Answers a conversation in the newer API, which agents such as Codex use. The response is kept in memory for some time unless store is false; previous_response_id continues it, and background lets the client disconnect. A WebSocket on the same path carries requests as messages.',
    example: { body: { model, input: question } },
  },
  'GET /v1/responses/:id': {
    description: 'Shows a stored response. With stream=true, its events are sent again, and those that follow.',
    example: { path: { id: response } },
  },
  'DELETE /v1/responses/:id': {
    description: 'Removes a stored response.',
    example: { path: { id: response } },
  },
  'GET /v1/responses/:id/input_items': {
    description: 'Lists the input of a stored response, including that of the responses before it.',
    example: { path: { id: response }, query: { limit: '10' } },
  },
  'POST /v1/responses/:id/cancel': {
    description: 'Ends a response that is generated in the background.',
    example: { path: { id: response } },
  },
  'POST /v1/responses/compact': {
    description:
      'Replaces a conversation by one item with a summary that the model writes. Later requests have the item as the start of their input.',
    example: { body: { model, input: question } },
  },
  'POST /v1/responses/input_tokens': {
    description: 'Counts the tokens of the prompt that a response would have. Nothing is generated.',
    example: { body: { model, input: question } },
  },
};
