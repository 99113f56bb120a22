// The kinds of settings about sign-in.

import { list, plainText, type SettingKind } from './kinds.ts';

export const secretText: SettingKind<string> = { ...plainText, secret: true };

/** Names that only this machine can have. */
const localHost = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Whether nobody on the network can read or change what is sent to the address. */
export function isPrivateTransport({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && localHost.test(hostname));
}

/** An OpenID Connect provider; empty for none. */
export const issuerAddress: SettingKind<string> = {
  name: 'address',
  expects: 'an https address such as https://login.example/realms/team; http only on this machine',
  parse(text) {
    if (text === '') return text;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !isPrivateTransport(url)) return undefined;
    return url.search === '' && url.hash === '' && url.username === '' && url.password === '' ? text : undefined;
  },
};

/** The origin of a web page, without a slash at its end; empty for none. */
export const publicAddress: SettingKind<string> = {
  name: 'address',
  expects: 'an address without a path, such as https://hearth.example',
  parse(text) {
    if (text === '') return text;
    const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && [url.origin, `${url.origin}/`].includes(text) ? url.origin : undefined;
  },
};

/** A value that a claim of a user must have. */
export interface ClaimRule {
  readonly claim: string;
  readonly value: string;
}

export const claimRules: SettingKind<readonly ClaimRule[]> = {
  name: 'list',
  expects: 'a comma-separated list of entries such as group:ml or email:anna@example.com',
  parse(text) {
    const rules = list.parse(text)?.map(parseClaimRule) ?? [];
    return rules.every((rule) => rule !== undefined) ? rules : undefined;
  },
};

/** Some providers use addresses as names of claims. */
function parseClaimRule(entry: string): ClaimRule | undefined {
  const [, claim, value] = /^((?:https?:\/\/)?[^\s:]{1,128}):(\S.{0,255})$/.exec(entry) ?? [];
  if (claim === undefined || value === undefined) return undefined;
  return { claim: claim === 'group' ? 'groups' : claim, value };
}
