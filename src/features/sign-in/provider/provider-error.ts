// A failure of a sign-in, or of the question whether a user still has access.

type ProviderFailure =
  /** The provider says no. */
  | 'refused'
  /** What came back is not valid. */
  | 'failed'
  /** The provider cannot be asked now. */
  | 'unavailable';

export class ProviderError extends Error {
  readonly kind: ProviderFailure;

  constructor(kind: ProviderFailure, message: string) {
    super(message);
    this.name = 'ProviderError';
    this.kind = kind;
  }
}
