// Sends events with posthog-js in a jsdom page of another origin: node posthog-js.mjs <host> <token> <count> <seed>
// The same seed gives the same uuids, so that a second run is a resend. Ends with one line of JSON: {"sent":n,"answers":{"200":n}}.
import { createHash } from 'node:crypto';
import { JSDOM } from 'jsdom';

const [host, token, count, seed] = process.argv.slice(2);
const answersWithinMillis = 60_000;

const page = new JSDOM('<!doctype html><title>shop</title>', {
  url: 'http://shop.example/',
  pretendToBeVisual: true,
  runScripts: 'outside-only',
});
// The SDK looks for its browser in the globals when it is loaded, hence the import further down.
for (const name of ['window', 'document', 'location', 'history', 'localStorage', 'sessionStorage', 'XMLHttpRequest', 'Element', 'HTMLElement']) {
  globalThis[name] = name === 'window' ? page.window : page.window[name];
}
Object.defineProperty(globalThis, 'navigator', { value: page.window.navigator, configurable: true });

// Node's fetch knows no origins; without it the SDK takes XMLHttpRequest.
delete globalThis.fetch;
// jsdom's own XMLHttpRequest keeps the browser's rules: preflight, CORS headers on the answer.
const answers = {};
let captured = 0;
const open = page.window.XMLHttpRequest.prototype.open;
page.window.XMLHttpRequest.prototype.open = function (method, url, ...rest) {
  if (new URL(url).pathname === '/e/') {
    this.addEventListener('loadend', () => (answers[this.status] = (answers[this.status] ?? 0) + 1));
  }
  return open.call(this, method, url, ...rest);
};

const { posthog } = await import('posthog-js');

function uuid(index) {
  const hex = createHash('sha256').update(`${seed}-${index}`).digest('hex');
  return `0190f000-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
}

posthog.init(token, {
  api_host: host,
  autocapture: false,
  capture_pageview: false,
  capture_pageleave: false,
  disable_session_recording: true,
  disable_surveys: true,
  disable_external_dependency_loading: true,
  rate_limiting: { events_per_second: Number(count), events_burst_limit: Number(count) },
  on_request_error: (failure) => console.error('refused', failure.statusCode, failure.text),
});
for (let i = 0; i < Number(count); i++) {
  posthog.capture('button clicked', { index: i }, { uuid: uuid(i) });
  captured++;
}

const deadline = Date.now() + answersWithinMillis;
const settled = () => Object.values(answers).reduce((sum, n) => sum + n, 0) > 0;
let quietSince = Date.now();
let seen = 0;
// Batches go out every three seconds: the queue is empty when none has for two rounds.
while (Date.now() < deadline && !(settled() && Date.now() - quietSince > 7_000)) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  const now = Object.values(answers).reduce((sum, n) => sum + n, 0);
  if (now !== seen) {
    seen = now;
    quietSince = Date.now();
  }
}
console.log(JSON.stringify({ sent: captured, answers }));
process.exit(0);
