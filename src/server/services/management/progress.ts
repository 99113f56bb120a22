// How far a model is on its way.

export interface Progress {
  readonly status: string;
  readonly digest?: string;
  readonly total?: number;
  readonly completed?: number;
}

/** Of one file of it. Nothing is said of what is zero. */
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
