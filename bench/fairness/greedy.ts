import { randomBytes } from 'node:crypto';
import type { Credentials } from '../../sdk/typescript/src/sign.js';
import { call } from '../../tests/support/service/http.js';

const connections = 4;
const addressesAtOnce = 1000;

/** Arguments: URL of the service, and the credentials (JSON) and wallet of the greedy organization. */
const [, , url = '', by = '{}', wallet_id = ''] = process.argv;
const credentials = JSON.parse(by) as Credentials;

const addresses = () => Array.from({ length: addressesAtOnce }, () => `0x${randomBytes(20).toString('hex')}`);
const loop = async () => {
  while (process.connected) {
    await call(url, credentials, '/v1/c/BatchRegisterAddresses', { wallet_id, addresses: addresses() });
    await call(url, credentials, '/v1/c/ListAddresses', { wallet_id, page_size: 100 });
  }
};

// The loops register a thousand addresses at a time and list them, until the parent process disconnects.
process.send?.('begun');
await Promise.all(Array.from({ length: connections }, loop));
