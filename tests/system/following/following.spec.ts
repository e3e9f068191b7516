import assert from 'node:assert/strict';
import { HDNodeWallet, JsonRpcProvider, Network, parseEther, Wallet } from 'ethers';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import type { Client } from '../../support/service/client.js';
import { runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

const phrase = 'test test test test test test test test test test test junk';
type Sent = { transaction_hash: string; block_number: number };

for (const engine of engines)
  describe(`the follower of the development chain on ${engine.name}`, () => {
    let chain: DevelopmentChain;
    let provider: JsonRpcProvider;
    let service: Service;
    let api: Client['c'];
    const closing: (() => unknown)[] = [];
    before(async function () {
      const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
      if (!started) return skip(this, 'the development chain (EDR is not there for this machine)');
      chain = started;
      closing.push(() => chain.close());
      service = await startService({ on: engine, env: { CHAIN_C_URL: `${chain.wsUrl},${chain.url}` } });
      closing.push(() => service.stop());
      api = clientOf(service).c;
      const network = Network.from(31337);
      provider = new JsonRpcProvider(gateway(), network, { staticNetwork: network, cacheTimeout: -1 });
      closing.push(() => provider.destroy());
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    const gateway = () => `${service.url}/c/mainnet/v1/${demoOf(service.home).key}`;
    const control = (method: string, ...params: unknown[]) => chain.request(method, params) as Promise<Sent>;
    const mine = (blocks: number) => control('dev_mine', blocks);
    const send = (to: string, value: string, token?: string) =>
      control('dev_transfer', { variant: 'c', to, value, ...(token && { token }) });
    const deploy = async (type: string) => {
      const { contract_address } = (await control('dev_deployToken', { type })) as Sent & { contract_address: string };
      return contract_address;
    };
    const newAddress = () => Wallet.createRandom().address.toLowerCase();
    const newWallet = async (confirmation: number, address = newAddress()) => {
      const { wallet_id } = await api.registerWallet({ name: 'followed', address, confirmation });
      return { wallet_id, address };
    };
    const transfersOf = async (wallet_id: string) => (await api.listTransfers({ wallet_id, page_size: 100 })).transfers;
    const statesOf = async (wallet_id: string) =>
      (await transfersOf(wallet_id)).map(({ transfer_state }) => transfer_state?.replace('TRANSFER_STATE_', ''));
    const balancesOf = async (wallet_id: string, asset_type = 'ASSET_TYPE_C') =>
      (await api.listAssets({ wallet_id, asset_type, page_size: 100 })).assets.map(({ balance }) => balance);

    const caughtUp = () =>
      eventually(async () => {
        const metrics = await (await fetch(`${service.url}/metrics`)).text();
        const height = Number(/chainfold_follower_height\{chain="C"\} (\d+)/.exec(metrics)?.[1]);
        assert.equal(height, await provider.getBlockNumber());
      });

    it('shows a transfer as pending, and at its confirmation depth as done with the balance', async () => {
      const { wallet_id, address } = await newWallet(3);
      const { transaction_hash, block_number } = await send(address, '1000');
      await eventually(async () => assert.deepEqual(await statesOf(wallet_id), ['PENDING']));
      assert.deepEqual(await balancesOf(wallet_id), []);
      await mine(1);
      assert.deepEqual(await statesOf(wallet_id), ['PENDING']);
      await mine(1);
      await eventually(async () => assert.deepEqual(await statesOf(wallet_id), ['SUCCESS']));
      await eventually(async () => assert.deepEqual(await balancesOf(wallet_id), ['1000']));
      const [transfer] = await transfersOf(wallet_id);
      assert.deepEqual(
        [
          transfer?.transaction_hash,
          transfer?.to,
          transfer?.value,
          transfer?.block_number,
          transfer?.transfer_metadata,
        ],
        [transaction_hash, address, '1000', block_number, {}],
      );
      assert.ok(BigInt(transfer?.transaction_fee ?? 0) > 0n);
    });

    it('follows a transaction that a real client sends through the gateway, with the fee in the balance', async () => {
      const account = HDNodeWallet.fromPhrase(phrase, '', "m/44'/60'/0'/0/1").connect(provider);
      const { wallet_id } = await newWallet(1, account.address.toLowerCase());
      const { wallet_id: receiver, address } = await newWallet(1);
      const sent = await account.sendTransaction({ to: address, value: parseEther('1.5') });
      const receipt = await sent.wait();
      assert.equal(receipt?.status, 1);
      await eventually(async () => {
        assert.deepEqual(await balancesOf(receiver), [String(parseEther('1.5'))]);
        assert.deepEqual(await balancesOf(wallet_id), [String(await provider.getBalance(account.address))]);
      });
      const [out] = await transfersOf(wallet_id);
      assert.deepEqual([out?.from, out?.nonce], [account.address.toLowerCase(), '0']);
    });

    it('follows tokens of the three standards from when their contract is registered', async () => {
      const { wallet_id, address } = await newWallet(1);
      const [erc20, erc721, erc1155] = [await deploy('ERC-20'), await deploy('ERC-721'), await deploy('ERC-1155')];
      await send(address, '5', erc20);
      await caughtUp();
      for (const [contract_address, type] of [
        [erc20, 'ERC20'],
        [erc721, 'ERC721'],
        [erc1155, 'ERC1155'],
      ] as const)
        await api.registerContract({ contract_address, contract_type: `CONTRACT_TYPE_${type}` });
      await send(address, '7', erc20);
      await send(address, '42', erc721);
      await send(address, '9', erc1155);
      await eventually(async () => {
        assert.deepEqual(await balancesOf(wallet_id, 'ASSET_TYPE_ERC20'), ['12']);
        assert.deepEqual(await balancesOf(wallet_id, 'ASSET_TYPE_ERC721'), ['1']);
        assert.deepEqual(await balancesOf(wallet_id, 'ASSET_TYPE_ERC1155'), ['9']);
      });
      const transfers = await transfersOf(wallet_id);
      assert.deepEqual(transfers.map(({ asset_type, value }) => `${asset_type} ${value}`).toSorted(), [
        'ASSET_TYPE_ERC1155 9',
        'ASSET_TYPE_ERC20 7',
        'ASSET_TYPE_ERC721 1',
      ]);
      await eventually(async () => {
        const [nft] = (await api.listAssets({ wallet_id, asset_type: 'ASSET_TYPE_ERC721' })).assets;
        assert.equal(nft?.asset_metadata?.erc721?.token_id, '42');
        assert.match(nft?.asset_metadata?.erc721?.token_uri ?? '', /^data:application\/json/);
        assert.ok(JSON.parse(nft?.asset_metadata?.erc721?.token_data ?? '').name);
      });
      const { contracts } = await api.listContracts({});
      assert.ok(contracts.some(({ contract_address }) => contract_address === erc20));
      await api.removeContract({ contract_address: erc20 });
      await send(address, '100', erc20);
      await send(address, '1');
      await eventually(async () => assert.equal((await transfersOf(wallet_id)).length, 4));
      // Balances of a removed contract stay hidden when it is registered again, because they are out of date.
      assert.deepEqual(await balancesOf(wallet_id, 'ASSET_TYPE_ERC20'), []);
      await api.registerContract({ contract_address: erc20, contract_type: 'CONTRACT_TYPE_ERC20' });
      assert.deepEqual(await balancesOf(wallet_id, 'ASSET_TYPE_ERC20'), []);
      await api.refreshAssetBalances({ wallet_id, asset_type: 'ASSET_TYPE_ERC20' });
      assert.ok((await balancesOf(wallet_id, 'ASSET_TYPE_ERC20')).includes('112'));
    });

    it('refuses a contract that does not answer as its type', async () => {
      const refusals = [
        [newAddress(), 'CONTRACT_TYPE_ERC20'],
        [await deploy('ERC-721'), 'CONTRACT_TYPE_ERC20'],
        [await deploy('ERC-20'), 'CONTRACT_TYPE_ERC1155'],
      ] as const;
      for (const [contract_address, contract_type] of refusals) {
        const answer = await call(service.url, demoOf(service.home), '/v1/c/RegisterContract', {
          contract_address,
          contract_type,
        });
        assert.deepEqual([answer.status, problemIn(answer).code], [409, 'FAILED_PRECONDITION']);
      }
    });

    it('takes back a transfer that a reorganization drops, and keeps one that it mines again', async () => {
      const { wallet_id, address } = await newWallet(1);
      await send(address, '11');
      await eventually(async () => assert.deepEqual(await balancesOf(wallet_id), ['11']));
      await send(address, '22');
      await mine(1);
      await eventually(async () => assert.deepEqual(await balancesOf(wallet_id), ['33']));
      await control('dev_reorg', 2, 'drop');
      await eventually(async () => {
        assert.deepEqual(await statesOf(wallet_id), ['REMOVED', 'SUCCESS']);
        assert.deepEqual(await balancesOf(wallet_id), ['11']);
      });
      await send(address, '44');
      await eventually(async () => assert.deepEqual(await balancesOf(wallet_id), ['55']));
      await control('dev_reorg', 1);
      await eventually(async () => {
        assert.deepEqual(await statesOf(wallet_id), ['SUCCESS', 'REMOVED', 'SUCCESS']);
        assert.deepEqual(await balancesOf(wallet_id), ['55']);
      });
    });

    it('gives two organizations that watch one address each their own history', async () => {
      const { wallet_id, address } = await newWallet(1);
      const theirs = clientOf(service, await newOrganization(service.home, `neighbour-${engine.name.length}`)).c;
      const their = await theirs.registerWallet({ name: 'theirs', address, confirmation: 1 });
      await send(address, '3');
      await eventually(async () => {
        assert.equal((await transfersOf(wallet_id)).length, 1);
        assert.equal((await theirs.listTransfers({ wallet_id: their.wallet_id })).transfers.length, 1);
      });
      assert.equal((await call(service.url, demoOf(service.home), '/v1/c/ListTransfers', their)).status, 404);
      await theirs.removeAddress({ wallet_id: their.wallet_id, address });
      await send(address, '4');
      await eventually(async () => assert.equal((await transfersOf(wallet_id)).length, 2));
      assert.equal((await theirs.listTransfers({ wallet_id: their.wallet_id })).transfers.length, 1);
      assert.deepEqual(
        (await theirs.listAssets({ wallet_id: their.wallet_id, asset_type: 'ASSET_TYPE_C' })).assets,
        [],
      );
    });

    it('filters and pages transfers and assets', async () => {
      const { wallet_id, address } = await newWallet(1);
      const other = newAddress();
      await api.registerAddress({ wallet_id, address: other });
      const sent = [];
      for (let n = 1; n <= 5; n++) sent.push(await send(n % 2 ? address : other, String(n)));
      await eventually(async () => assert.equal((await statesOf(wallet_id)).filter((s) => s === 'SUCCESS').length, 5));
      const values = async (request: object) => {
        const found: string[] = [];
        let page_token = '';
        do {
          const page = await api.listTransfers({ ...request, page_size: 2, page_token } as never);
          found.push(...page.transfers.map(({ value }) => value));
          page_token = page.pagination.next_page_token;
        } while (page_token);
        return found;
      };
      assert.deepEqual(await values({ wallet_id }), ['5', '4', '3', '2', '1']);
      assert.deepEqual(await values({ address }), ['5', '3', '1']);
      assert.deepEqual(await values({ wallet_id, address: other }), ['4', '2']);
      assert.deepEqual(await values({ transaction_hash: sent[2]?.transaction_hash }), ['3']);
      const all = await transfersOf(wallet_id);
      const [third, fourth] = [all[2], all[1]];
      const start_time = third?.block_timestamp;
      const within = all.filter(({ block_timestamp = 0 }) => block_timestamp >= (start_time ?? 0));
      assert.deepEqual(
        await values({ wallet_id, start_time }),
        within.map(({ value }) => value),
      );
      const before = all.filter(({ block_timestamp = 0 }) => block_timestamp <= (fourth?.block_timestamp ?? 0));
      assert.deepEqual(
        await values({ wallet_id, end_time: fourth?.block_timestamp }),
        before.map(({ value }) => value),
      );
      const aggregated = await api.listAssets({ wallet_id, asset_type: 'ASSET_TYPE_C', is_aggregated: true });
      assert.deepEqual(
        aggregated.assets.map(({ address: at, balance }) => [at, balance]),
        [['', '15']],
      );
    });

    it('reads balances on request, and applies a changed confirmation threshold to pending transfers', async () => {
      const { wallet_id, address } = await newWallet(50);
      await send(address, '8');
      await eventually(async () => assert.deepEqual(await statesOf(wallet_id), ['PENDING']));
      await api.refreshAssetBalances({ wallet_id, asset_type: 'ASSET_TYPE_C' });
      assert.deepEqual(await balancesOf(wallet_id), ['0']);
      await api.updateConfirmation({ wallet_id, confirmation: 1 });
      await mine(1);
      await eventually(async () => assert.deepEqual(await balancesOf(wallet_id), ['8']));
      await eventually(async () => assert.deepEqual(await statesOf(wallet_id), ['SUCCESS']));
      const unknown = { address: newAddress(), asset_type: 'ASSET_TYPE_C' };
      const answer = await call(service.url, demoOf(service.home), '/v1/c/RefreshAssetBalances', unknown);
      assert.equal(answer.status, 404);
    });

    it('corrects a balance that was read on request in a block that is replaced', async () => {
      const address = newAddress();
      await send(address, '1000');
      await caughtUp();
      const { wallet_id } = await newWallet(1, address);
      await api.refreshAssetBalances({ wallet_id, asset_type: 'ASSET_TYPE_C' });
      assert.deepEqual(await balancesOf(wallet_id), ['1000']);
      await control('dev_reorg', 1, 'drop');
      await eventually(async () => assert.deepEqual(await balancesOf(wallet_id), ['0']));
    });

    it('misses nothing while it is down, even for an address registered just before', async () => {
      const { wallet_id, address } = await newWallet(2);
      await service.kill();
      for (let n = 0; n < 40; n++) await send(address, '1');
      await mine(1);
      const env = { CHAIN_C_URL: `${chain.wsUrl},${chain.url}` };
      service = await startService({ on: service.home, env });
      api = clientOf(service).c;
      await eventually(async () => {
        assert.deepEqual(await balancesOf(wallet_id), ['40']);
        assert.deepEqual(await statesOf(wallet_id), Array(40).fill('SUCCESS'));
      });
    });

    it('reports how far it is behind, and that the chain is traced', async () => {
      const status = await runCommand(service.home, ['projections', 'status', '--json']);
      const { followers } = JSON.parse(status.stdout);
      assert.deepEqual([followers[0].chain, followers[0].traced], ['C', true]);
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      assert.match(metrics, /chainfold_follower_lag_blocks\{chain="C"\} \d+/);
      assert.match(metrics, /chainfold_follower_traced\{chain="C"\} 1/);
    });
  });
