// Sends events with posthog-node: node posthog-node.mjs <host> <token> <count> <seed>
// The same seed gives the same uuids, so that a second run is a resend. Ends with one line of JSON: {"sent":n,"errors":n}.
import { createHash } from 'node:crypto';
import { PostHog } from 'posthog-node';

const [host, token, count, seed] = process.argv.slice(2);

function uuid(index) {
  const hex = createHash('sha256').update(`${seed}-${index}`).digest('hex');
  return `0190f000-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
}

const client = new PostHog(token, {
  host,
  flushAt: 100,
  maxBatchSize: 100,
  maxQueueSize: Number(count) + 1,
  flushInterval: 200,
  fetchRetryCount: 30,
  fetchRetryDelay: 500,
});
let errors = 0;
client.on('error', () => errors++);

for (let i = 0; i < Number(count); i++) {
  client.capture({
    distinctId: `user-${i % 97}`,
    event: 'order placed',
    uuid: uuid(i),
    timestamp: new Date(1767225600000 + i),
    properties: { index: i, price: i / 100, text: 'ünïcode ✓' },
  });
}
await client.shutdown(120_000);
console.log(JSON.stringify({ sent: Number(count), errors }));
