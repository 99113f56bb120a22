// Notices a preview whose code never ends. The frame with it cannot answer then, and the page can, where the browser runs
// sandboxed frames in another process.

export const ping = 'ping';
export const pong = 'pong';

const intervalMs = 3000;
const maxMissed = 5;

/** Asks the frame again and again. `onSilence` is called once, when some questions in a row have no answer. The result ends it. */
export function watchFrame(frame: Window, onSilence: () => void): () => void {
  let missed = 0;
  const onMessage = ({ source, data }: MessageEvent): void => {
    if (source === frame && data === pong) missed = 0;
  };
  const end = (): void => {
    window.clearInterval(timer);
    window.removeEventListener('message', onMessage);
  };
  const timer = window.setInterval(() => {
    if (missed++ < maxMissed) return frame.postMessage(ping, '*');
    end();
    onSilence();
  }, intervalMs);
  window.addEventListener('message', onMessage);
  return end;
}
