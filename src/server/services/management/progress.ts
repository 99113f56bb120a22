// The progress of a create, pull or push.

export interface Progress {
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
): Progress {
  return {
    status,
    digest,
    ...(size > 0 ? { total: size } : {}),
    ...(completed > 0 ? { completed } : {}),
  };
}
