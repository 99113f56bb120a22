// Sends a file and says how much of it has been sent, which `fetch` cannot.

import { ApiError, toApiError } from './request.ts';

/** `onProgress` gets the share that was sent, from 0 to 1. Throws an ApiError. */
export function uploadFile<Body>(path: string, file: File, onProgress: (share: number) => void): Promise<Body> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      const body = parse(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(body as Body);
      else reject(toApiError(body, request.status));
    };
    request.onerror = () => reject(toApiError({ code: 'unreachable' }, 0));
    request.onabort = () => reject(new ApiError('', { status: 0, code: 'cancelled' }));
    request.send(file);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
