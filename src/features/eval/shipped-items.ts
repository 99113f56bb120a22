// The set that ships with Hearth: 50 items in each of six categories.

import type { ChatRequestTool } from '../../server/dialects/ollama/generation/chat-schema.ts';
import type { EvalItem } from './item.ts';
import { numberQuestions, sums } from './items/arithmetic.ts';
import { facts } from './items/facts.ts';
import { instructions } from './items/instructions.ts';
import { jsonQuestions } from './items/json-questions.ts';
import { passages } from './items/reading.ts';
import { callQuestions, tools } from './items/tool-calls.ts';

/** The longest right answer has about 40 tokens. */
const maxTokens = 96;

export const shippedItems: readonly EvalItem[] = [
  ...facts.map(([prompt, ...choices]) => ({ category: 'facts', prompt, choices, answer: 0 })),
  ...sums.map(([prompt, ...choices]) => ({ category: 'arithmetic', prompt, choices, answer: 0 })),
  ...numberQuestions.map(([prompt, number]) => ({ category: 'arithmetic', prompt, check: { number }, maxTokens })),
  ...passages.flatMap(({ text, questions }) =>
    questions.map(([question, ...choices]) => ({
      category: 'reading',
      prompt: `${text}\n\nQuestion: ${question}\nAnswer:`,
      choices,
      answer: 0,
    })),
  ),
  ...instructions.map(([prompt, check]) => ({ category: 'instructions', prompt, check, maxTokens })),
  ...callQuestions.map(([prompt, offered, call]) => ({
    category: 'tool calls',
    prompt,
    check: { call },
    tools: offered.map(describeTool),
    maxTokens,
  })),
  ...jsonQuestions.map(([prompt, schema]) => ({ category: 'JSON', prompt, check: { schema }, maxTokens })),
];

function describeTool(name: keyof typeof tools): ChatRequestTool {
  const { description, parameters } = tools[name];
  const schema = { type: 'object', properties: parameters, required: Object.keys(parameters) };
  return { type: 'function', function: { name, description, parameters: schema } };
}
