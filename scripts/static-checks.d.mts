export const staticChecks: readonly {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}[];
