// The clients that people use, as they come from npm, against the real server.

import { aiSdkAnthropic } from './ai-sdk-anthropic.ts';
import { aiSdkOpenAi } from './ai-sdk-openai.ts';
import { anthropic, anthropicZero } from './anthropic.ts';
import { testClients } from './client-matrix.ts';
import { genkitOllama } from './genkit.ts';
import { langChainOllama } from './langchain-ollama.ts';
import { langChainOpenAi } from './langchain-openai.ts';
import { ollama } from './ollama.ts';
import { ollamaAiProvider } from './ollama-ai-provider.ts';
import { openAi } from './openai.ts';
import { openAiAgents } from './openai-agents.ts';
import { openAiCompatible } from './openai-compatible.ts';
import { openAiResponses } from './openai-responses.ts';

testClients([
  ollama,
  langChainOllama,
  ollamaAiProvider,
  genkitOllama,
  openAi,
  langChainOpenAi,
  openAiCompatible,
  openAiResponses,
  openAiAgents,
  aiSdkOpenAi,
  anthropic,
  anthropicZero,
  aiSdkAnthropic,
]);
