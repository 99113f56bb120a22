export interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

export interface SelectedPackage {
  readonly folder: string;
  readonly name: string;
  readonly version?: string;
  readonly integrity?: string;
}

export function selectPackages(
  lock: { readonly packages: Readonly<Record<string, LockEntry>> },
  target: { readonly platform: string; readonly arch: string; readonly engine: string },
): SelectedPackage[];
