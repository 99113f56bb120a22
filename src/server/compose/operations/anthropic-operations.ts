// Descriptions and examples of the operations of Anthropic's API.

import type { OperationTable } from '../../http/openapi/operation.ts';

const messages = [{ role: 'user', content: 'Why is the sky blue?' }];

export const anthropicOperations: OperationTable = {
  'POST /v1/messages': {
    description:
      'Answers a conversation: tools, thinking, images. With stream, the answer is server-sent events. Claude Code uses this operation.',
    example: { body: { model: 'ember', max_tokens: 256, messages } },
  },
  'POST /v1/messages/count_tokens': {
    description: 'Counts the tokens of the prompt that a message would have. Nothing is generated.',
    example: { body: { model: 'ember', messages } },
  },
};
