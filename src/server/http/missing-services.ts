// Paths of other servers that clients expect here. The sentence is what they show. It comes with the status 404, because
// the clients of this path repeat a request after any status of 500 or more.
export const missingServices: ReadonlyMap<string, string> = new Map([
  [
    '/v1/systemone',
    'this server has no decision models, which /v1/systemone asks; ' +
      'ask a chat model at /v1/chat/completions, with a JSON schema in response_format',
  ],
]);
