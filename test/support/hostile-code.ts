// A document that attacks the page which shows it.

/** Tries to send something to `target`, and to reach what is outside of its frame. The attempts and their ends become its text. */
export const hostileCode = (target: string, server: string): string => `<p id="result"></p>
<img src="${target}/image"><link rel="stylesheet" href="${target}/style"><link rel="preconnect" href="${target}">
<style>@import url(${target}/import); body { background: url(${target}/background) }</style>
<iframe src="${target}/frame"></iframe><object data="${target}/object"></object><video src="${target}/video"></video>
<form id="form" action="${target}/form" target="_top"></form><a id="link" href="${target}/link" target="_blank">a</a>
<script>
  const isNested = parent.parent !== top;
  if (isNested) parent.postMessage('connection in a frame: ' + typeof RTCPeerConnection, '*');
  const ends = [];
  const attempt = async (name, work) => {
    let end = 'done';
    try { end = String(await work()); } catch (error) { end = error.name; }
    ends.push(name + ': ' + end);
  };
  const ended = (object) => new Promise((resolve) => { object.onerror = () => resolve('error'); object.onload = object.onopen = () => resolve('LOADED'); });
  const nested = (html) => { const frame = document.createElement('iframe'); frame.srcdoc = html; document.body.append(frame); };
  const tag = 'script';
  const self = document.currentScript.textContent;
  const run = async () => {
    await attempt('fetch', () => fetch('${target}/fetch'));
    await attempt('own', () => fetch('${server}/api/tags'));
    await attempt('socket', () => ended(new WebSocket('${target.replace('http', 'ws')}/socket')));
    await attempt('events', () => ended(new EventSource('${target}/events')));
    await attempt('beacon', () => ended(Object.assign(new Image(), { src: '${target}/beacon?' + Math.random() })));
    await attempt('worker', () => ended(new Worker(URL.createObjectURL(new Blob(['fetch("${target}/worker")'])))));
    await attempt('import', () => import('${target}/module.js'));
    await attempt('cookie', () => document.cookie);
    await attempt('storage', () => localStorage.length);
    await attempt('page', () => top.document.title);
    await attempt('top', () => { top.location = '${target}/top'; });
    await attempt('parent', () => { parent.location = '${target}/parent'; });
    await attempt('popup', () => open('${target}/popup'));
    await attempt('connection', () => typeof RTCPeerConnection);
    await attempt('eval', () => eval('1'));
    navigator.sendBeacon('${target}/beacon', 'x');
    form.submit();
    link.click();
    addEventListener('message', ({ data }) => { ends.push(data); result.innerText = ends.join('\\n'); });
    nested('<' + tag + '>parent.postMessage("other script: ran", "*")</' + tag + '><img src="${target}/nested">');
    nested('<' + tag + '>' + self + '</' + tag + '>');
  };
  if (!isNested) run();
</script>`;
