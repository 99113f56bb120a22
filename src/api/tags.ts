// GET /api/tags on the wire.

export interface TagsResponse {
  readonly models: readonly {
    readonly name: string;
    readonly model: string;
    readonly modified_at: string;
    readonly size: number;
    readonly digest: string;
    readonly details: ModelDetailsBody;
  }[];
}

export interface ModelDetailsBody {
  readonly parent_model: string;
  readonly format: string;
  readonly family: string;
  readonly families: readonly string[] | null;
  readonly parameter_size: string;
  readonly quantization_level: string;
}
