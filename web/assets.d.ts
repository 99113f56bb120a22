// Files that the build reads besides scripts.

declare module '*.css' {}

declare module '*.html' {
  /** The address of the file. */
  const url: string;
  // biome-ignore lint/style/noDefaultExport: the bundler has no other
  export default url;
}

declare module '@mermaid-js/tiny' {
  /** The address of the file: the page does not run the library itself. */
  const url: string;
  // biome-ignore lint/style/noDefaultExport: the bundler has no other
  export default url;
}
