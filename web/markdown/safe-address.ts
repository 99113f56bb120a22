// Addresses in answers. A model can write any, also those that run scripts or that tell a server who reads the answer.

const linkSchemes = ['http:', 'https:', 'mailto:'];

/** undefined: the address does not become a link. */
export function toSafeLink(address: string): string | undefined {
  try {
    const url = new URL(address);
    return linkSchemes.includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Images are never fetched: only those that are part of the answer are shown. */
export function isInlineImage(address: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(address.slice(0, 40));
}
