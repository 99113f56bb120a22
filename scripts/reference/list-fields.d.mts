export interface FieldRow {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

export function listFields(schema: object): FieldRow[];
