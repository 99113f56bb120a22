// What `hearth serve` prints when it listens.

export interface StartTextOptions {
  /** The URL of the server. */
  readonly address: string;
  /** The address of the setting. */
  readonly host: string;
  /** A model to try; undefined if there is none. */
  readonly model: string | undefined;
}

export function startText({ address, host, model }: StartTextOptions): string {
  const listening = listensEverywhere(host)
    ? `Hearth is listening on ${address} and on all interfaces: everyone on the network can use it, because it has no access keys`
    : `Hearth is listening on ${address}`;
  return `${listening}\n\n${tryText(address, model)}`;
}

/** `0.0.0.0`, `::` and their other spellings. */
export function listensEverywhere(host: string): boolean {
  return /^[0:.]+$/.test(host);
}

function tryText(address: string, model: string | undefined): string {
  if (model === undefined) return 'There is no model yet. Get one:\n  hearth pull ember\n';
  const body = JSON.stringify({ model, prompt: 'Why is the sky blue?' })
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "');
  return `Try it:\n  curl ${address}/api/generate -d '${body}'\n`;
}
