// Makes the destructuring of an options object exhaustive: an option that was not taken out of it does not compile.

export function assertNoneLeft(_rest: Readonly<Record<string, never>>): void {}
