import { embedded } from '../../tests/support/engines/engines.js';
import { gatewayUrl, post } from '../../tests/support/gateway/gateway.js';
import { call } from '../../tests/support/service/http.js';
import { clientOf, demoOf } from '../../tests/support/service/service.js';
import { type Bench, median } from './figures.js';
import { maxStallMs, startProbed } from './probed-service.js';

const mebibyte = 1_048_576;
const tries = 5;
const filled = (open: string, item: string, close: string, bytes: number) =>
  open + item.repeat(Math.floor((bytes - open.length - close.length) / item.length)) + close;
const addresses = (valid: boolean) =>
  Array.from({ length: 1000 }, (_, i) => `0x${(valid ? i.toString(16) : 'z').padStart(40, '0')}`);

/** Costly requests, keyed by name. Each has a body as large as the service accepts. */
const inputsOf = (wallet_id: string): Readonly<Record<string, readonly [path: string, body: string]>> => ({
  'nested lists': ['/v1/c/RegisterWallet', '['.repeat(mebibyte / 2) + ']'.repeat(mebibyte / 2)],
  'empty lists': ['/v1/c/RegisterWallet', filled('{"name":[', '[],', '[]]}', mebibyte)],
  'a number of a million digits': [
    '/v1/c/UpdateConfirmation',
    filled(`{"wallet_id":"${wallet_id}","confirmation":`, '9', '}', mebibyte),
  ],
  'a long text': ['/v1/c/RegisterWallet', filled('{"name":"', 'é', '"}', mebibyte / 2)],
  'many unknown fields': [
    '/v1/c/RegisterWallet',
    `{${Array.from({ length: 60_000 }, (_, i) => `"f${i}":1`).join(',')}}`,
  ],
  '1000 addresses': ['/v1/c/BatchRegisterAddresses', JSON.stringify({ wallet_id, addresses: addresses(true) })],
  '1000 malformed addresses': [
    '/v1/c/BatchRegisterAddresses',
    JSON.stringify({ wallet_id, addresses: addresses(false) }),
  ],
  'a value of a million digits': [
    '/v1/c/CreateTransaction',
    filled(
      `{"wallet_id":"${wallet_id}","from":"0x${'1'.repeat(40)}","to":"0x${'2'.repeat(40)}","value":"`,
      '9',
      '"}',
      mebibyte,
    ),
  ],
});

/** Measures how long a single costly request stalls the event loop. */
export const inputs: Bench = async function* () {
  const { service, maxStall } = await startProbed(embedded);
  const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'measured' });
  const asks = new Map<string, () => Promise<unknown>>(
    Object.entries(inputsOf(wallet_id)).map(([name, [path, body]]) => [
      name,
      () => call(service.url, demoOf(service.home), path, body),
    ]),
  );
  asks.set('5 MiB to the gateway', () => post(gatewayUrl(service), '['.repeat(5 * mebibyte)));
  asks.set('nothing', async () => undefined);
  for (const [name, ask] of asks) {
    const stalls: number[] = [];
    for (let n = 0; n < tries; n++) {
      await maxStall();
      await ask();
      stalls.push(await maxStall());
    }
    yield { what: `stall of the event loop: ${name}`, measured: median(stalls), unit: 'ms', atMost: maxStallMs };
  }
  await service.stop();
};
