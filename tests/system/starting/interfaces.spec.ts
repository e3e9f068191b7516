import assert from 'node:assert/strict';
import { startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { embedded } from '../../support/engines/engines.js';
import { connectTo, gatewayUrl, post, socketUrl } from '../../support/gateway/gateway.js';
import { skip } from '../../support/run/skip.js';
import { runProcess } from '../../support/service/command.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

const question = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
const chainId = '0x7a69';

describe('a service that was just started', () => {
  const closing: (() => unknown)[] = [];
  let service: Service;
  before(async function () {
    const chain = await startDevelopmentEvm({ blockMs: 0, log: silent });
    if (!chain) return skip(this, 'a call of each interface (EDR is not there for this machine)');
    closing.push(() => chain.close());
    service = await startService({ on: embedded, env: { GATEWAY_C_MAINNET_URLS: chain.url } });
    closing.push(() => service.stop());
  });
  after(async () => {
    for (const close of closing.toReversed()) await close();
  });

  it('answers an operation', async () => {
    const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'first' });
    assert.equal((await clientOf(service).c.getWallet({ wallet_id })).wallet.name, 'first');
  });

  it('answers a command', async () => {
    const { code, stdout } = await runProcess(service.home, ['organization', 'list', '--json']);
    assert.equal(code, 0);
    assert.ok(stdout.includes('"organization_id"'), stdout);
  });

  it('answers the gateway over HTTP', async () => {
    const { status, text } = await post(gatewayUrl(service), question);
    assert.equal(status, 200);
    assert.equal(JSON.parse(text).result, chainId);
  });

  it('answers the gateway over WebSocket', async () => {
    const { call, socket } = await connectTo(socketUrl(service));
    closing.push(() => socket.terminate());
    assert.equal((await call('eth_chainId')).result, chainId);
  });

  it('serves the pages and the health endpoints', async () => {
    for (const path of ['/health/ready', '/docs', '/openapi.json'])
      assert.equal((await fetch(`${service.url}${path}`)).status, 200, path);
  });
});
