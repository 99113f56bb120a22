// Files that the build reads besides scripts.

declare module '*.css' {}
