// The kinds of settings. Each kind parses the text from the environment, the config file or a flag, and describes what
// it expects.

import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { maxSocketPathBytes, socketPathOf } from '../net/socket-path.ts';
import type { ClientSeparation } from '../request/request-scope.ts';
import { withoutTrailing } from '../text/without-trailing.ts';
import { nanosecondsPerMillisecond, parseDuration } from '../time/duration.ts';

export interface SettingKind<T> {
  /** Shown in help and in the reference. */
  readonly name: string;
  /** Completes the sentence "HEARTH_X must be …". */
  readonly expects: string;
  /** The value must not appear in errors or logs. */
  readonly secret?: boolean;
  /** undefined: the text is invalid. */
  parse(text: string): T | undefined;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Only for clients: whether the address has the scheme https or http; absent if it has none. */
  readonly secure?: boolean;
  /** Only for clients: a proxy in front of the server may use a path. */
  readonly path?: string;
}

/** A server that only programs on this machine can reach: those that may open the file. */
export interface SocketAddress {
  /** An absolute path. */
  readonly socket: string;
}

export const flag: SettingKind<boolean> = {
  name: 'boolean',
  expects: 'true or false',
  parse(text) {
    // Some of Ollama's variables have levels (OLLAMA_DEBUG=2): any number except 0 is true.
    if (/^([1-9]\d?|t|true|yes|on)$/i.test(text)) return true;
    if (/^(0|f|false|no|off)$/i.test(text)) return false;
    return undefined;
  },
};

export const count: SettingKind<number> = {
  name: 'number',
  expects: 'a non-negative integer',
  parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};

/** A duration in milliseconds. A negative value means no limit and becomes Infinity. */
export const duration: SettingKind<number> = {
  name: 'duration',
  expects: 'a duration such as 30s, 5m or 1h30m, a number of seconds, or -1 for no limit',
  parse(text) {
    try {
      const nanoseconds = /^-?\d{1,9}$/.test(text) ? Number(text) * 1e9 : parseDuration(text);
      return nanoseconds < 0 ? Number.POSITIVE_INFINITY : nanoseconds / nanosecondsPerMillisecond;
    } catch {
      return undefined;
    }
  },
};

export const clientSeparation: SettingKind<ClientSeparation> = {
  name: 'separation',
  expects: 'address, connection, or header:NAME',
  parse(text) {
    if (text === 'address' || text === 'connection') return text;
    const [, header] = /^header:([\w-]{1,64})$/.exec(text) ?? [];
    return header === undefined ? undefined : { header: header.toLowerCase() };
  },
};

/** A duration in milliseconds, or what suits the situation. */
export const durationOrAuto: SettingKind<number | 'auto'> = {
  name: 'duration | auto',
  expects: `${duration.expects}, or auto`,
  parse: (text) => (text.toLowerCase() === 'auto' ? 'auto' : duration.parse(text)),
};

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** A number of bytes. */
export const size: SettingKind<number> = {
  name: 'size',
  expects: 'a size such as 512MiB, 2GB or a number of bytes',
  parse(text) {
    const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmg]i?)?b?$/i.exec(text) ?? [];
    if (digits === undefined) return undefined;
    const bytes = Math.round(Number(digits) * (sizeUnits[(unit ?? '').toLowerCase()] ?? 1));
    return Number.isSafeInteger(bytes) ? bytes : undefined;
  },
};

/** Permissions of a file. */
export const fileMode: SettingKind<number> = {
  name: 'mode',
  expects: 'an octal number such as 0600 or 0660 that lets the owner read and write',
  parse(text) {
    const mode = /^0?[0-7]{3}$/.test(text) ? Number.parseInt(text, 8) : 0;
    return (mode & 0o600) === 0o600 ? mode : undefined;
  },
};

/** An absolute path; `~` is the home folder. */
export const path: SettingKind<string> = {
  name: 'path',
  expects: 'a path',
  parse: (text) => (text.includes('\0') ? undefined : resolve(text.replace(/^~(?=$|[/\\])/, homedir()))),
};

/** An absolute path; an empty text means no file. */
export const optionalPath: SettingKind<string> = {
  ...path,
  parse: (text) => (text === '' ? '' : path.parse(text)),
};

/** A folder, the usual one, or none. */
type FolderChoice = { readonly folder: string } | 'auto' | 'off';

export const folderChoice: SettingKind<FolderChoice> = {
  name: 'path | auto | 0',
  expects: 'a path, auto, or 0 for none',
  parse(text) {
    if (/^(auto|1|on|true)$/i.test(text)) return 'auto';
    if (/^(0|off|false)$/i.test(text)) return 'off';
    const folder = path.parse(text);
    return folder === undefined ? undefined : { folder };
  },
};

export const list: SettingKind<readonly string[]> = {
  name: 'list',
  expects: 'a comma-separated list',
  parse: (text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
};

/** Numbers of at least 0 with commas between them; empty for none. */
export const shareList: SettingKind<string> = {
  name: 'shares',
  expects: 'numbers with commas between them, such as 3,1, or nothing',
  parse: (text) =>
    /^(?:(?=.*[1-9])\d{1,6}(?:\.\d{1,6})?(?:,\d{1,6}(?:\.\d{1,6})?){0,15})?$/.test(text) ? text : undefined,
};

export const triState: SettingKind<boolean | 'auto'> = {
  name: 'boolean | auto',
  expects: 'true, false or auto',
  parse: (text) => (text.toLowerCase() === 'auto' ? 'auto' : flag.parse(text)),
};

const engineBuilds = ['auto', 'cpu', 'cuda', 'vulkan', 'metal'] as const;
type EngineBuild = (typeof engineBuilds)[number];

/** Accepts Ollama's names such as cpu_avx2 or cuda_v12; only the part before the underscore counts. */
export const engineBuild: SettingKind<EngineBuild> = {
  name: engineBuilds.join(' | '),
  expects: `one of ${engineBuilds.join(', ')}`,
  parse: (text) => engineBuilds.find((build) => new RegExp(`^${build}(_|$)`, 'i').test(text)),
};

export function oneOf<const Choices extends readonly string[]>(...choices: Choices): SettingKind<Choices[number]> {
  return {
    name: choices.join(' | '),
    expects: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((entry) => entry === text.toLowerCase()),
  };
}

const kvCacheTypeNames = ['f16', 'bf16', 'f32', 'q8_0', 'q5_1', 'q5_0', 'q4_1', 'q4_0', 'iq4_nl'] as const;
export const kvCacheType = oneOf(...kvCacheTypeNames);
export const kvCacheTypeOrSame = oneOf('same', ...kvCacheTypeNames);

/**
 * `host`, `:port`, `host:port` or `[v6]:port`. A port alone means all interfaces, as in Go. Like Ollama, it also accepts
 * a scheme and a path. With a scheme, the default port is that of the scheme.
 */
function listenAddress(defaultPort: number): SettingKind<ListenAddress> {
  return {
    name: 'address',
    expects: `an address such as 127.0.0.1:${defaultPort}, :8080 or [::1]:${defaultPort}`,
    parse: (text) => parseAddress(text, defaultPort),
  };
}

const networkAddress = listenAddress(11434);

/** Where the server listens. */
export const address: SettingKind<ListenAddress | SocketAddress> = {
  name: 'address',
  expects: `${networkAddress.expects}, or unix: and an absolute path of at most ${maxSocketPathBytes} bytes`,
  parse(text) {
    const named = socketPathOf(text);
    if (named === undefined) return networkAddress.parse(text);
    // Two slashes come before the host of a URL, and this one has none.
    const given = named.replace(/^\/\/(?=\/)/, '');
    const socket = /^[/~]/.test(given) ? path.parse(given) : undefined;
    if (socket === undefined || socket.endsWith(sep) || Buffer.byteLength(socket) > maxSocketPathBytes)
      return undefined;
    return { socket };
  },
};
/** Where `hearth registry serve` listens. */
export const registryListenAddress = listenAddress(11435);

function parseAddress(text: string, defaultPort: number): ListenAddress | undefined {
  const [, scheme, rest = '', path = ''] = /^(?:(https?):\/\/)?([^/]*)((?:\/.*)?)$/.exec(text) ?? [];
  const [, bracketed, bareV6, plain, portText] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([0-9a-fA-F]*(?::[0-9a-fA-F.]*){2,})|([\w.-]*))(?::(\d{1,5}))?$/.exec(rest) ?? [];
  const host = bracketed ?? bareV6 ?? plain;
  if (host === undefined) return undefined;
  const port = portText === undefined ? portOfScheme(scheme, defaultPort) : Number(portText);
  if (port > 65535) return undefined;
  return {
    host: host || (portText === undefined ? '127.0.0.1' : '0.0.0.0'),
    port,
    secure: scheme === undefined ? undefined : scheme === 'https',
    path: /^\/*$/.test(path) ? undefined : withoutTrailing(path, /\//),
  };
}

function portOfScheme(scheme: string | undefined, defaultPort: number): number {
  if (scheme === 'http') return 80;
  return scheme === 'https' ? 443 : defaultPort;
}

export const plainText: SettingKind<string> = { name: 'text', expects: 'text', parse: (value) => value };

export const versionNumber: SettingKind<string> = {
  name: 'version',
  expects: 'a version such as 0.14.0',
  parse: (value) => (/^\d{1,6}(\.\d{1,6}){2}$/.test(value) ? value : undefined),
};

/** `host` or `host:port`, with or without a scheme. */
export const registryAddress: SettingKind<string> = {
  name: 'address',
  expects: 'a host such as registry.ollama.ai or http://registry.example:5000',
  parse: (value) => (/^(https?:\/\/)?[\w.-]+(:\d{1,5})?$/.test(value) ? value : undefined),
};

export const proxyAddress: SettingKind<string> = {
  name: 'address',
  expects: 'a proxy address such as http://proxy.example:3128',
  parse(value) {
    // The shared variables often have no scheme.
    const url = value === '' || value.includes('://') ? value : `http://${value}`;
    return url === '' || (/^https?:\/\//.test(url) && URL.canParse(url)) ? url : undefined;
  },
};

interface RegistryCredentials {
  readonly host: string;
  readonly user: string;
  readonly password: string;
}

export const registryCredentials: SettingKind<readonly RegistryCredentials[]> = {
  name: 'list',
  expects: 'a comma-separated list of entries such as registry.example=user:password',
  secret: true,
  parse(value) {
    const entries = list.parse(value)?.map(parseCredentials) ?? [];
    return entries.every((entry) => entry !== undefined) ? entries : undefined;
  },
};

function parseCredentials(entry: string): RegistryCredentials | undefined {
  const [, host, user, password] = /^([\w.:-]+)=([^:]+):(.*)$/.exec(entry) ?? [];
  if (host === undefined || user === undefined || password === undefined) return undefined;
  try {
    return { host, user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
