// Errors of the OpenAI dialect on the wire: a body, or the last event of a stream.

export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: 'invalid_request_error' | 'not_found_error' | 'api_error';
    readonly param: null;
    readonly code: null;
  };
}
