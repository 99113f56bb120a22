// Command lines for scripts on Windows. Programs from npm are `.cmd` files, which only cmd.exe can run. It parses the
// line, and the script passes the arguments through a second parse.

interface SpawnLine {
  readonly program: string;
  readonly args: readonly string[];
  /** The arguments are a finished command line. */
  readonly verbatim: boolean;
}

const metaCharacters = /[()\][%!^"`<>&|;, *?]/g;

export function toSpawnLine(file: string, args: readonly string[], platform: string): SpawnLine {
  if (platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(file)) return { program: file, args, verbatim: false };
  const line = [escapeMeta(file), ...args.map((arg) => escapeMeta(escapeMeta(quote(arg))))].join(' ');
  return { program: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}

/** As the C runtime reads it: backslashes count twice before a quote. */
function quote(arg: string): string {
  let quoted = '';
  let backslashes = 0;
  for (const character of arg) {
    if (character === '"') quoted += '\\'.repeat(backslashes + 1);
    backslashes = character === '\\' ? backslashes + 1 : 0;
    quoted += character;
  }
  return `"${quoted}${'\\'.repeat(backslashes)}"`;
}

function escapeMeta(text: string): string {
  return text.replace(metaCharacters, '^$&');
}
