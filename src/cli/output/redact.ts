// Removes secrets from text that people post: values of variables that hold them, passwords in URLs, keys of known
// forms, and the home folder.

import type { Environment } from '../../base/config/environment.ts';
import { environmentNames, type Settings, settingKeys, settingTable } from '../../settings/setting-table.ts';

interface RedactorOptions {
  readonly home: string;
  readonly secrets: readonly string[];
}

const hidden = '***';
// Shorter values occur in ordinary text.
const minSecretLength = 6;

// `hearth_…` are keys of this program, the others those of services that people use next to it.
const tokenForms = /\b(?:hearth_|sk-|pk-|hf_|gh[a-z]_|github_pat_|npm_|pypi-|glpat-|xox[a-z]-|AKIA)[A-Za-z0-9_-]{12,}/g;
const credentialsInUrl = /\/\/[^/@\s"']*@/g;
const secretParameters = /([?&;](?:access_|api_|auth_)?(?:token|key|secret|password|passwd|sig|signature)=)[^&\s"']+/gi;
const authorization = /\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]+/gi;

export function createRedactor({ home, secrets }: RedactorOptions): (text: string) => string {
  // The longest first: one secret may contain another.
  const values = [...new Set(secrets)].filter((value) => value.length >= minSecretLength);
  values.sort((a, b) => b.length - a.length);
  return (text) => {
    const withoutValues = values.reduce((rest, value) => rest.replaceAll(value, hidden), shortenHome(text, home));
    return withoutValues
      .replace(credentialsInUrl, `//${hidden}@`)
      .replace(secretParameters, `$1${hidden}`)
      .replace(authorization, `$1 ${hidden}`)
      .replace(tokenForms, hidden);
  };
}

/** `/home/anna` is not a part of `/home/annabel`. */
function shortenHome(text: string, home: string): string {
  if (home.length < 2) return text;
  const [first = '', ...rest] = text.split(home);
  return rest.reduce((joined, part) => `${joined}${/^[\w-]/.test(part) ? home : '~'}${part}`, first);
}

const secretName = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE/i;

/** The values of variables whose names say that they hold secrets, and of settings that do. */
export function findSecrets(environment: Environment, { registryCredentials }: Settings): string[] {
  const values = Object.entries(environment)
    .filter(([name]) => secretName.test(name) && !publicNames.has(name))
    .flatMap(([, value]) => (value === undefined ? [] : [value.trim()]));
  const credentials = registryCredentials.flatMap(({ user, password }) => [user, password]);
  return [...values, ...passwordsInUrls(environment), ...credentials].flatMap((value) => [
    value,
    encodeURIComponent(value),
  ]);
}

/** Settings that name files, such as HEARTH_TLS_KEY. */
const publicNames: ReadonlySet<string> = new Set(
  settingKeys.filter((key) => !settingTable[key].kind.secret).flatMap(environmentNames),
);

function passwordsInUrls(environment: Environment): string[] {
  return Object.values(environment).flatMap((value) => {
    const [, credentials = ''] = /\/\/([^/@\s]*)@/.exec(value ?? '') ?? [];
    return credentials.split(':').flatMap((part) => [part, decode(part)]);
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
