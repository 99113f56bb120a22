// Encrypts texts that are kept outside of this process: a browser keeps the secrets of a sign-in that has begun, and the
// file of users the refresh tokens.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export class Sealer {
  readonly #key: Buffer;

  /** Without a secret, only this process can open what it has sealed. */
  constructor(secret?: string) {
    this.#key =
      secret === undefined
        ? randomBytes(keyBytes)
        : Buffer.from(hkdfSync('sha256', secret, '', 'hearth refresh tokens', keyBytes));
  }

  /** `context` says what the text is for: it cannot be opened as something else. */
  seal(text: string, context: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes }).setAAD(
      Buffer.from(context),
    );
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Undefined if the text was not sealed with the same secret and context. */
  open(sealed: string, context: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < nonceBytes + tagBytes) return undefined;
    const nonce = bytes.subarray(0, nonceBytes);
    const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
    try {
      const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      const parts = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()];
      return Buffer.concat(parts).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
