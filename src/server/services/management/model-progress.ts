// The progress of a create, pull or push.

export interface ModelProgress {
  readonly status: string;
  readonly digest?: string;
  readonly total?: number;
  readonly completed?: number;
}

/** The progress of one file. Zero values are omitted, as in Ollama. */
export function fileProgress(
  status: string,
  { digest, size }: { readonly digest: string; readonly size: number },
  completed: number,
): ModelProgress {
  return {
    status,
    digest,
    total: size > 0 ? size : undefined,
    completed: completed > 0 ? completed : undefined,
  };
}
