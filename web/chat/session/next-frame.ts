// One paint per frame: text that arrives in between is shown together. A page that is hidden paints no frames.

// Milliseconds.
const hiddenInterval = 250;

export function nextFrame(callback: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(callback);
  else setTimeout(callback, hiddenInterval);
}
