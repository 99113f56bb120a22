// DELETE /api/requests/:id on the wire.

export interface CancelResponse {
  readonly status: 'cancelled';
}
