// Whose collections a request sees: those of its key. Without keys, all callers share them.

const sharedOwner = 'local';

export const ownerOfCaller = (keyId: string | undefined): string => keyId ?? sharedOwner;

export const keyOfOwner = (owner: string): string | undefined => (owner === sharedOwner ? undefined : owner);
