// What a setting's text can mean. Each kind turns the text that stands in the environment, the file or a
// flag into a value, or says in half a sentence what it expected.

import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { nanosecondsPerMillisecond, parseDuration } from '../time/duration.ts';

export interface Kind<T> {
  /** Shown in help and in the reference. */
  readonly name: string;
  /** Completes the sentence "HEARTH_X must be …". */
  readonly expects: string;
  /** What is written there is not shown to anybody. */
  readonly secret?: boolean;
  /** undefined: the text is not of this kind. */
  parse(text: string): T | undefined;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** What only those who call have a use for: a server behind a proxy may speak TLS and have a path. */
  readonly secure?: true;
  readonly path?: string;
}

export const flag: Kind<boolean> = {
  name: 'boolean',
  expects: 'true or false',
  parse(text) {
    // Some variables of this family grew levels (OLLAMA_DEBUG=2): any number but 0 is a yes.
    if (/^([1-9]\d?|t|true|yes|on)$/i.test(text)) return true;
    if (/^(0|f|false|no|off)$/i.test(text)) return false;
    return undefined;
  },
};

export const count: Kind<number> = {
  name: 'number',
  expects: 'a whole number, 0 or more',
  parse: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};

/** Milliseconds; Infinity for "for ever", which a negative value means. */
export const duration: Kind<number> = {
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

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** Bytes. */
export const size: Kind<number> = {
  name: 'size',
  expects: 'a size such as 512MiB, 2GB or a number of bytes',
  parse(text) {
    const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmg]i?)?b?$/i.exec(text) ?? [];
    if (digits === undefined) return undefined;
    const bytes = Math.round(Number(digits) * (sizeUnits[(unit ?? '').toLowerCase()] ?? 1));
    return Number.isSafeInteger(bytes) ? bytes : undefined;
  },
};

/** An absolute path; `~` is the home folder. */
export const path: Kind<string> = {
  name: 'path',
  expects: 'a path',
  parse: (text) => (text.includes('\0') ? undefined : resolve(text.replace(/^~(?=$|[/\\])/, homedir()))),
};

export const list: Kind<readonly string[]> = {
  name: 'list',
  expects: 'a list with commas between its entries',
  parse: (text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
};

export const triState: Kind<boolean | 'auto'> = {
  name: 'boolean | auto',
  expects: 'true, false or auto',
  parse: (text) => (text.toLowerCase() === 'auto' ? 'auto' : flag.parse(text)),
};

const engineBuilds = ['auto', 'cpu', 'cuda', 'vulkan', 'metal'] as const;
export type EngineBuild = (typeof engineBuilds)[number];

/** People have names such as cpu_avx2 or cuda_v12 in their environment: the family decides. */
export const engineBuild: Kind<EngineBuild> = {
  name: engineBuilds.join(' | '),
  expects: `one of ${engineBuilds.join(', ')}`,
  parse: (text) => engineBuilds.find((build) => new RegExp(`^${build}(_|$)`, 'i').test(text)),
};

export function choice<const Choices extends readonly string[]>(...choices: Choices): Kind<Choices[number]> {
  return {
    name: choices.join(' | '),
    expects: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((entry) => entry === text.toLowerCase()),
  };
}

const defaultPort = 11434;

/**
 * Where to listen: `host`, `:port`, `host:port`, `[v6]:port`, or any of these behind `http://` and before a
 * path, as people already have it in their environment. With a scheme and no port it is the scheme's port.
 */
export const address: Kind<ListenAddress> = {
  name: 'address',
  expects: 'an address such as 127.0.0.1:11434, :8080 or [::1]:11434',
  parse(text) {
    const [, scheme, rest = '', path = ''] = /^(?:(https?):\/\/)?([^/]*)((?:\/.*)?)$/.exec(text) ?? [];
    const [, bracketed, bareV6, plain, portText] =
      /^(?:\[([0-9a-fA-F:.]+)\]|([0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F.]*)|([\w.-]*))(?::(\d{1,5}))?$/.exec(rest) ??
      [];
    const host = bracketed ?? bareV6 ?? plain;
    if (host === undefined) return undefined;
    const port = portText === undefined ? portOfScheme(scheme) : Number(portText);
    if (port > 65535) return undefined;
    return {
      host: host === '' ? '127.0.0.1' : host,
      port,
      ...(scheme === 'https' ? { secure: true } : {}),
      ...(/^\/*$/.test(path) ? {} : { path: path.replace(/\/+$/, '') }),
    };
  },
};

function portOfScheme(scheme: string | undefined): number {
  if (scheme === 'http') return 80;
  return scheme === 'https' ? 443 : defaultPort;
}

export const text: Kind<string> = { name: 'text', expects: 'a text', parse: (value) => value };

/** `host` or `host:port`, with or without a scheme. */
export const registryAddress: Kind<string> = {
  name: 'address',
  expects: 'a host such as registry.ollama.ai or http://library.example:5000',
  parse: (value) => (/^(https?:\/\/)?[\w.-]+(:\d{1,5})?$/.test(value) ? value : undefined),
};

export const proxyAddress: Kind<string> = {
  name: 'address',
  expects: 'the address of a proxy such as http://proxy.example:3128',
  parse(value) {
    // Without a scheme, as many have it in their environment.
    const url = value === '' || value.includes('://') ? value : `http://${value}`;
    return url === '' || (/^https?:\/\//.test(url) && URL.canParse(url)) ? url : undefined;
  },
};

export interface RegistryCredentials {
  readonly host: string;
  readonly user: string;
  readonly password: string;
}

export const registryCredentials: Kind<readonly RegistryCredentials[]> = {
  name: 'list',
  expects: 'a list of entries such as library.example=name:password',
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
