// Installs the service worker. Browsers allow one only with TLS or on the same machine.

export function registerWorker(): void {
  navigator.serviceWorker?.register('/page/worker.js', { scope: '/' }).catch(() => {
    // A certificate that the browser does not trust. The page works without it.
  });
}
