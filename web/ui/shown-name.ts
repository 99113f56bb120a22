// The name of a model as people write it: the tag `latest` is left out.

export function shownName(name: string): string {
  return name.replace(/:latest$/, '');
}
