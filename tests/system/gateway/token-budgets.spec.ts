import assert from 'node:assert/strict';
import { createEvmChain } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { embedded } from '../../support/engines/engines.js';
import { gatewayUrl, post, rejectedUpgrade, socketUrl } from '../../support/gateway/gateway.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';

const rpc = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method, params: [] });
const one = (method: string) => JSON.stringify(rpc(method));
const many = (method: string, count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, id) => rpc(method, id)));
const limits = { per_second_limit: 1e9, per_hour_limit: 1e9, per_day_limit: 1e9, per_month_limit: 20 };

describe('the gateway budget of an organization with a restricted token', () => {
  let node: EvmNode;
  let service: Service;
  before(async () => {
    const chain = createEvmChain();
    chain.mine();
    node = await startEvmNode({ chain });
    const env = { GATEWAY_C_MAINNET_URLS: node.url, GATEWAY_Q_MAINNET_URLS: node.url };
    service = await startService({ on: embedded, env });
  });
  after(async () => {
    await service.stop();
    await node.close();
  });
  const ask = async (key: string, body: string, at?: string) => {
    const { text, ...answer } = await post(gatewayUrl(service, key, at), body);
    return { ...answer, body: JSON.parse(text) };
  };
  const codeOf = async (key: string, method: string) => (await ask(key, one(method))).body.error?.code ?? 'answered';

  it('is never spent on chains and methods that the token does not name', async () => {
    const { admin } = clientOf(service);
    const { organization_id } = await admin.createOrganization({ name: 'budget', domain: 'budget' });
    await admin.setRateLimit({ organization_id, ...limits });
    const { api_key: key, api_secret: secret } = await admin.createCredential({ organization_id });
    const client = clientOf(service, { key, secret });
    const { token } = await client.admin.createGatewayToken({ name: 'x', chains: ['C'], methods: ['evm_blockNumber'] });
    // One of these answers is cached for the api_key.
    for (let i = 0; i < 3; i++) assert.equal(await codeOf(key, 'eth_chainId'), 'answered');
    const rejections = [
      await ask(token, many('eth_getLogs', 6), 'q/mainnet'),
      await ask(token, many('eth_getLogs', 6)),
      await ask(token, many('evm_chainId', 5)),
    ];
    for (const { body } of rejections)
      assert.deepEqual([...new Set(body.map(({ error }: { error?: { code: number } }) => error?.code))], [-32_601]);
    assert.equal(await codeOf(token, 'eth_chainId'), -32_601);
    const refused = await rejectedUpgrade(socketUrl(service, token, 'q/mainnet'));
    assert.deepEqual([refused.status, refused.code], [403, -32_601]);
    const mixed = [rpc('eth_blockNumber', 1), rpc('eth_chainId', 2)];
    const { status, headers } = await ask(token, JSON.stringify(mixed));
    assert.deepEqual([status, headers.get('ratelimit-remaining')], [200, '16']);
    // Calls that the token does not allow count towards a limit that belongs to the token alone.
    assert.equal((await ask(token, one('eth_chainId'))).status, 429);
    assert.equal((await ask(token, one('eth_getLogs'), 'q/mainnet')).status, 429);
    assert.equal((await ask(token, one('eth_blockNumber'))).headers.get('ratelimit-remaining'), '15');
    assert.equal((await ask(key, one('eth_blockNumber'), 'q/mainnet')).headers.get('ratelimit-remaining'), '19');
  });
});
