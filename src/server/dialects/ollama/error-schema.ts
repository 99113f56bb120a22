// Errors on the wire: the same shape everywhere, as a body or as the last line of a stream.

export interface ErrorResponse {
  readonly error: string;
}
