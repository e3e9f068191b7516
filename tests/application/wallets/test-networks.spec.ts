import assert from 'node:assert/strict';
import { Failure } from '../../../domain/failure.js';
import { createTonScript, master } from '../../support/chains/ton-script.js';
import { accountOf } from '../../support/chains/ton-transactions.js';
import { composeApp, contextOf, openStores, startFollowing, variantOf } from '../../support/following/following.js';
import { createTonScene } from '../../support/ton/scene.js';
import { friendlyByTep2 } from '../../vectors/ton-addresses.js';

const variant = variantOf('t');
const written = (name: string, testOnly: boolean) =>
  friendlyByTep2(accountOf(name), { bounceable: false, testOnly, urlSafe: true });

describe('an address that was written for test networks only', () => {
  const { index, connect } = createTonScene();
  let stores: Awaited<ReturnType<typeof openStores>>;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  const follow = async (network: number) => {
    const script = createTonScript(network);
    script.mine();
    const chain = await connect((await index(script)).url);
    const by = contextOf(`org_${network}`, variant);
    const { app, stop } = startFollowing(stores, chain, { variant });
    const { answer } = await app.wallets.register(by, { name: 'ton', address: undefined } as never);
    const register = (...texts: string[]) =>
      app.addresses.register(by, {
        walletId: answer.wallet_id,
        inputs: texts.map((text, i) => ({ text, path: `/addresses/${i}` })),
      });
    return { app, by, register, stop };
  };
  const isRefusedAt =
    (...paths: string[]) =>
    (error: unknown) => {
      assert(error instanceof Failure, String(error));
      assert.equal(error.code, 'INVALID_ARGUMENT');
      assert.match(error.message, /is a testnet-only address/);
      assert.deepEqual(
        error.faults?.map(({ path }) => path),
        paths,
      );
      return true;
    };

  it('is rejected on the main network, wherever addresses are registered or imported', async () => {
    const { app, by, register, stop } = await follow(-239);
    try {
      await assert.rejects(register(written('a', false), written('b', true)), isRefusedAt('/addresses/1'));
      const asked = { name: 'other', address: written('b', true) } as never;
      await assert.rejects(app.wallets.register(by, asked), isRefusedAt('/address'));
      await register(written('a', false), accountOf('b'));
      const token = friendlyByTep2(master, { bounceable: true, testOnly: true, urlSafe: true });
      const named = { address: written('a', true), token, account: written('c', true) };
      await assert.rejects(
        app.imports.importAsset(by, named),
        isRefusedAt('/address', '/token_address', '/token_account_address'),
      );
      await assert.rejects(app.contracts.register(by, token, 'token'), isRefusedAt('/token_address'));
    } finally {
      await stop();
    }
  });

  for (const network of [-3, 777])
    it(`is registered on the network ${network}`, async () => {
      const { register, stop } = await follow(network);
      try {
        await register(written('a', true), written('b', false));
      } finally {
        await stop();
      }
    });

  it('is registered while the chain is off, because its network is unknown', async () => {
    const { by, stop } = await follow(-4);
    const off = composeApp(stores);
    await off.wallets.register(by, { name: 'off', address: written('z', true) } as never);
    await stop();
  });
});
