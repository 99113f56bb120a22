// The settings of sign-in with OpenID Connect.

import { count, duration, list, optionalPath, plainText } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';
import { claimRules, issuerAddress, publicAddress, secretText } from '../../base/config/sign-in-kinds.ts';

export const signInSettings = {
  oidcIssuer: setting(issuerAddress, {
    default: '',
    ollama: false,
    help: 'The OpenID Connect provider that users sign in with; if it is set, every request needs a user or a key.',
  }),
  oidcClientId: setting(plainText, {
    default: '',
    ollama: false,
    help: 'The id under which this server is registered with the provider.',
  }),
  oidcClientSecret: setting(secretText, {
    default: '',
    ollama: false,
    help: 'The secret of the client; empty for a public client. Prefer the file.',
  }),
  oidcClientSecretFile: setting(optionalPath, {
    default: '',
    ollama: false,
    help: 'The file with the secret of the client.',
  }),
  publicUrl: setting(publicAddress, {
    default: '',
    ollama: false,
    help: 'The address that browsers use, such as https://hearth.example; the provider sends users back there.',
  }),
  oidcScopes: setting(list, {
    default: 'openid,profile,email,offline_access',
    ollama: false,
    help: 'What the provider is asked for; some need `groups` too, and some do not know `offline_access`.',
  }),
  oidcAdmins: setting(claimRules, {
    default: '',
    ollama: false,
    help: 'Who is an administrator, such as group:ml or email:anna@example.com; empty = no user.',
  }),
  oidcUsers: setting(claimRules, {
    default: '',
    ollama: false,
    help: 'Who may use the server besides administrators; empty = everyone whom the provider signs in.',
  }),
  oidcRefresh: setting(duration, {
    default: '5m',
    ollama: false,
    help: 'How often the provider is asked whether a user still has access.',
  }),
  oidcGrace: setting(duration, {
    default: '1h',
    ollama: false,
    help: 'How long users keep their access while the provider does not confirm it; -1 = no limit.',
  }),
  userKeys: setting(count, {
    default: '5',
    ollama: false,
    help: 'How many keys of their own users may have; 0 = none.',
  }),
  userKeyLife: setting(duration, {
    default: '720h',
    ollama: false,
    help: 'How long a key of a user is valid at most; -1 = no limit.',
  }),
};
