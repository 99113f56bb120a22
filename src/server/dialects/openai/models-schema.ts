// GET /v1/models, GET and DELETE /v1/models/:id on the wire.

export interface OpenAiModel {
  readonly id: string;
  readonly object: 'model';
  /** Seconds since the epoch. */
  readonly created: number;
  readonly owned_by: string;
}

export interface OpenAiModelList {
  readonly object: 'list';
  readonly data: readonly OpenAiModel[];
}

export interface OpenAiDeleted {
  readonly id: string;
  readonly object: 'model';
  readonly deleted: true;
}
