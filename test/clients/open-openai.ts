// The SDK of OpenAI, without repeated requests: a failure must be seen.

import OpenAI from 'openai';

export function openOpenAi(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
}
