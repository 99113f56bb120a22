// The port for the search of collections: a feature keeps them, and answers cite what it finds.

/** What callers write about a file, to filter by it. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface FoundPassage {
  readonly text: string;
  readonly collection: string;
  readonly fileId: string;
  readonly fileName: string;
  readonly attributes?: Attributes | undefined;
  /** From 1. Absent: the document has no pages. */
  readonly page?: number | undefined;
  /** Where the text is in its page, or in the document. */
  readonly start: number;
  readonly end: number;
  /** From 0 to 1, the best is highest. */
  readonly score: number;
}

/** A passage with the number by which an answer cites it: `[3]`. */
export interface CitedPassage extends FoundPassage {
  readonly number: number;
}

export type AttributeFilter =
  | { readonly type: 'and' | 'or'; readonly filters: readonly AttributeFilter[] }
  | {
      readonly type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin';
      readonly key: string;
      readonly value: string | number | boolean | readonly (string | number | boolean)[];
    };

export interface PassageQuery {
  readonly text: string;
  readonly limit: number;
  /** Only files with such attributes. */
  readonly filter?: AttributeFilter | undefined;
  /** Passages with a lower score are left out. */
  readonly minScore?: number | undefined;
  /** What the ranks by words and by vectors count. Absent: the same. */
  readonly weights?: { readonly words: number; readonly vectors: number } | undefined;
  /** False: no reranker orders what was found. */
  readonly isReranked?: boolean | undefined;
}

/** On whose behalf a collection is searched. */
export interface SearchCaller {
  /** The id of the key. Absent: the server has no keys. */
  readonly keyId?: string | undefined;
  readonly client: string;
  readonly signal: AbortSignal;
}

export interface PassageSearch {
  /** Rejects with `collection_not_found` if the caller has not all of them. */
  checkAll(keyId: string | undefined, collections: readonly string[]): Promise<void>;
  /** The best passages of all these collections. Rejects with `collection_not_found`. */
  searchAll(
    caller: SearchCaller,
    collections: readonly string[],
    query: PassageQuery,
  ): Promise<readonly FoundPassage[]>;
}
