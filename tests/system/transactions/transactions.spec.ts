import assert from 'node:assert/strict';
import { Interface, Wallet } from 'ethers';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { openPayments, type Payments, receiver, refusedWith, signOutside } from '../../support/scenes/payments.js';
import { runCommand } from '../../support/service/command.js';
import { clientOf, demoOf, newOrganization } from '../../support/service/service.js';
import { checkStolenPage } from '../../support/service/stolen-page.js';

for (const engine of engines)
  describe(`transaction management on ${engine.name}`, () => {
    let scene: Payments;
    let api: Payments['api'];
    let sender: Payments['sender'];
    let wallet_id: string;
    before(async function () {
      const opened = await openPayments(engine);
      if (!opened) return skip(this, 'the development chain (EDR is not there for this machine)');
      scene = opened;
      ({ api, sender, wallet_id } = scene);
    });
    after(() => scene?.close());

    const mine = (blocks?: number) => scene.mine(blocks);
    const request = (method: string, ...params: unknown[]) => scene.chain.request(method, params);
    const stateOf = (transaction_id: string) => scene.stateOf(transaction_id);
    const becomes = (transaction_id: string, state: string) => scene.becomes(transaction_id, state);
    const create = (given?: object) => scene.create(given);
    const sign = (transaction_id: string) => scene.sign(transaction_id);
    const createSent = (given?: object) => scene.createSent(given);
    const balanceOf = (address: string) => scene.balanceOf(address);

    it('creates a transaction, accepts an external signature, sends it and follows it to its confirmation depth', async () => {
      const to = receiver();
      const made = await create({ to });
      assert.match(made.transaction_id, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
      assert.deepEqual(
        [made.transaction_state, made.transaction_hash, made.data, made.value],
        ['TRANSACTION_STATE_CREATED', '', '0x', '1000'],
      );
      assert.ok(Number(made.gas) >= 21_000);
      const { transaction_id } = made;
      await assert.rejects(api.sendTransaction({ transaction_id }), refusedWith('FAILED_PRECONDITION'));
      await sign(transaction_id);
      await sign(transaction_id);
      const { transaction: signed } = await api.getTransaction({ transaction_id });
      assert.equal(signed.transaction_state, 'TRANSACTION_STATE_SIGNED');
      const { transaction: sent } = await api.sendTransaction({ transaction_id });
      const { send_time } = sent;
      assert.deepEqual(sent, { ...signed, send_time, transaction_state: 'TRANSACTION_STATE_SENT' });
      assert.deepEqual((await api.sendTransaction({ transaction_id })).transaction, sent);
      await mine();
      await becomes(transaction_id, 'MINED');
      assert.equal(await balanceOf(to), 1000n);
      await mine();
      await becomes(transaction_id, 'CONFIRMED');
      const { transaction: found } = await api.getTransaction({ transaction_hash: sent.transaction_hash });
      assert.equal(found.transaction_id, transaction_id);
      for (const filter of [{ wallet_id }, { address: sender.address }, { wallet_id, address: sender.address }]) {
        const { transactions } = await api.listTransactions({ ...filter, page_size: 1 });
        assert.deepEqual(transactions, [found]);
      }
      assert.deepEqual((await api.sendTransaction({ transaction_id })).transaction, found);
      for (const step of [api.cancelTransaction, api.getTransactionMessageToSign])
        await assert.rejects(step({ transaction_id }) as Promise<unknown>, refusedWith('FAILED_PRECONDITION'));
    });

    it('sends tokens of every standard', async () => {
      const getters = {
        'ERC-20': 'function balanceOf(address) view returns (uint256)',
        'ERC-721': 'function ownerOf(uint256) view returns (address)',
        'ERC-1155': 'function balanceOf(address,uint256) view returns (uint256)',
      } as const;
      for (const type of ['ERC-20', 'ERC-721', 'ERC-1155'] as const) {
        const { contract_address } = (await request('dev_deployToken', { type })) as {
          contract_address: string;
        };
        const given = {
          variant: 'c',
          to: sender.address,
          value: type === 'ERC-721' ? '1' : '10',
          token: contract_address,
        };
        const minted = (await request('dev_transfer', given)) as { token_id?: string };
        const token_id = minted.token_id ?? '1';
        const to = receiver();
        const payloads = {
          'ERC-20': { erc20: { contract_address, value: '5' } },
          'ERC-721': { erc721: { contract_address, token_id } },
          'ERC-1155': { erc1155: { contract_address, token_id, value: '5' } },
        };
        const { transaction } = await api.createTokenTransaction({
          wallet_id,
          contract_type: `CONTRACT_TYPE_${type.replace('-', '') as 'ERC20' | 'ERC721' | 'ERC1155'}`,
          from: sender.address,
          to,
          token_payload: payloads[type],
        });
        assert.deepEqual([transaction.to, transaction.value], [contract_address, '0']);
        await sign(transaction.transaction_id);
        await api.sendTransaction({ transaction_id: transaction.transaction_id });
        await mine(2);
        await becomes(transaction.transaction_id, 'CONFIRMED');
        const contract = new Interface([getters[type]]);
        const [name] = contract.fragments.map((one) => ('name' in one ? String(one.name) : ''));
        const asked = { 'ERC-20': [to], 'ERC-721': [token_id], 'ERC-1155': [to, token_id] }[type];
        const data = contract.encodeFunctionData(name as string, asked);
        const answer = (await request('eth_call', { to: contract_address, data }, 'latest')) as string;
        const [result] = contract.decodeFunctionResult(name as string, answer);
        assert.equal(String(result).toLowerCase(), type === 'ERC-721' ? to : '5', type);
      }
    });

    it('uses a canceled nonce first, and no nonce twice', async () => {
      const [one, two, three] = [await create(), await create(), await create()];
      const first = Number(one.nonce);
      assert.deepEqual(
        [two, three].map(({ nonce }) => Number(nonce)),
        [first + 1, first + 2],
      );
      await api.cancelTransaction({ transaction_id: two.transaction_id });
      assert.equal(await stateOf(two.transaction_id), 'CANCELED');
      const four = await create();
      assert.equal(four.nonce, two.nonce);
      await assert.rejects(create({ nonce: first }), refusedWith('FAILED_PRECONDITION', /is held by/));
      for (const { transaction_id } of [one, three, four]) await api.cancelTransaction({ transaction_id });
      assert.equal((await create({ transaction_id: 'again' })).nonce, one.nonce);
      await api.cancelTransaction({ transaction_id: 'again' });
    });

    it('answers a repeated creation with the same transaction, and rejects a different one under its id', async () => {
      const request = {
        transaction_id: `order:${scene.service().url.length}.${receiver().slice(2, 10)}`,
        to: receiver(),
      };
      const made = await create(request);
      assert.deepEqual(await create(request), made);
      await assert.rejects(create({ ...request, value: '1001' }), refusedWith('ALREADY_EXISTS'));
      await assert.rejects(create({ transaction_id: 'a b' }), refusedWith('INVALID_ARGUMENT'));
      const both = { transaction_id: `${request.transaction_id}-2`, to: receiver() };
      const [a, b] = await Promise.all([create(both), create(both)]);
      assert.deepEqual(a, b);
      for (const { transaction_id } of [made, a as typeof made]) await api.cancelTransaction({ transaction_id });
    });

    it('rejects foreign senders and signatures, values over 256 bits and unknown ids', async () => {
      const stranger = Wallet.createRandom();
      await assert.rejects(
        create({ from: stranger.address }),
        refusedWith('INVALID_ARGUMENT', /is not an address of wallet/),
      );
      await assert.rejects(create({ value: (2n ** 256n).toString() }), refusedWith('INVALID_ARGUMENT', /value/));
      const { transaction_id } = await create();
      const { transaction_message_to_sign } = await api.getTransactionMessageToSign({ transaction_id });
      const { serialized } = stranger.signingKey.sign(transaction_message_to_sign);
      await assert.rejects(
        api.submitTransactionSignature({ transaction_id, signature: serialized }),
        refusedWith('INVALID_ARGUMENT', /signature/),
      );
      await api.cancelTransaction({ transaction_id });
      await assert.rejects(api.getTransaction({ transaction_id: 'none' }), refusedWith('NOT_FOUND'));
      await assert.rejects(api.sendTransaction({ transaction_id: 'none' }), refusedWith('NOT_FOUND'));
    });

    it('keeps a transaction signed when no node accepts it, and reports why', async () => {
      const poor = Wallet.createRandom();
      const { wallet_id: poorWallet } = await api.registerWallet({ name: 'poor', address: poor.address.toLowerCase() });
      const { transaction_id } = await create({ wallet_id: poorWallet, from: poor.address, gas: '21000', value: '5' });
      await signOutside(api, poor.signingKey, transaction_id);
      await assert.rejects(api.sendTransaction({ transaction_id }), refusedWith('FAILED_PRECONDITION', /fund/i));
      assert.equal(await stateOf(transaction_id), 'SIGNED');
    });

    it('cancels a sent transaction with a replacement that transfers nothing', async () => {
      const to = receiver();
      const { transaction_id, gas_price, nonce } = await createSent({ to });
      const { transaction_message_to_sign: before } = await api
        .getTransactionMessageToSign({ transaction_id })
        .catch(() => ({ transaction_message_to_sign: 'none' }));
      assert.equal(before, 'none');
      await api.cancelTransaction({ transaction_id });
      assert.equal(await stateOf(transaction_id), 'CANCELING');
      await assert.rejects(api.sendTransaction({ transaction_id }), refusedWith('FAILED_PRECONDITION', /not signed/));
      await sign(transaction_id);
      await api.sendTransaction({ transaction_id });
      assert.equal(await stateOf(transaction_id), 'CANCELING');
      await mine();
      await becomes(transaction_id, 'CANCELED');
      assert.equal(await balanceOf(to), 0n);
      const block = (await request('eth_getBlockByNumber', 'latest', true)) as {
        transactions: { from: string; to: string; nonce: string; gasPrice: string; gas: string; value: string }[];
      };
      const [noOperation] = block.transactions.filter(({ nonce: used }) => Number(used) === Number(nonce));
      assert.deepEqual(
        [noOperation?.from, noOperation?.to, noOperation?.gas, noOperation?.value],
        [sender.address, sender.address, '0x5208', '0x0'],
      );
      assert.ok(BigInt(noOperation?.gasPrice ?? 0) * 1000n >= BigInt(gas_price) * 1125n);
      await mine(2);
      await assert.rejects(api.cancelTransaction({ transaction_id }), refusedWith('FAILED_PRECONDITION'));
    });

    it('replaces a sent transaction with one that has the same nonce and a higher price', async () => {
      const old = await createSent();
      const low = create({ nonce: Number(old.nonce), gas_price: old.gas_price });
      await assert.rejects(low, refusedWith('FAILED_PRECONDITION', /gas_price must be at least/));
      const fresh = await createSent({ nonce: Number(old.nonce) });
      await mine();
      await becomes(fresh.transaction_id, 'MINED');
      await becomes(old.transaction_id, 'REPLACED');
      await mine(2);
      await becomes(fresh.transaction_id, 'CONFIRMED');
    });

    it('sends a transaction again when a reorganization drops it', async () => {
      const to = receiver();
      const { transaction_id } = await createSent({ to });
      await mine();
      await becomes(transaction_id, 'MINED');
      await request('dev_reorg', 1, 'drop');
      await becomes(transaction_id, 'SENT');
      await eventually(async () => {
        await mine();
        assert.equal(await balanceOf(to), 1000n);
      });
      await mine(2);
      await becomes(transaction_id, 'CONFIRMED');
    });

    it('rejects a transaction that would fail, and reports one that fails on the chain', async () => {
      const { contract_address } = (await request('dev_deployToken', { type: 'ERC-20' })) as {
        contract_address: string;
      };
      const payload = { erc20: { contract_address, value: '5' } };
      const order = {
        wallet_id,
        contract_type: 'CONTRACT_TYPE_ERC20',
        from: sender.address,
        to: receiver(),
      } as const;
      await assert.rejects(
        api.createTokenTransaction({ ...order, token_payload: payload }),
        refusedWith('INVALID_ARGUMENT', /would fail/),
      );
      const { transaction } = await api.createTokenTransaction({ ...order, token_payload: payload, gas: '100000' });
      const { transaction_id } = transaction;
      await sign(transaction_id);
      await api.sendTransaction({ transaction_id });
      await mine();
      await becomes(transaction_id, 'MINED');
      await mine();
      await becomes(transaction_id, 'FAILED');
    });

    it('lists transactions in pages that no other organization continues', async () => {
      const made = [await create(), await create()];
      const { url, home } = scene.service();
      const by = await newOrganization(home, 'thief');
      const own = await clientOf(scene.service(), by).c.registerWallet({ name: 'own' });
      const theirs = { by: demoOf(home), fields: { wallet_id } };
      await checkStolenPage(url, '/v1/c/ListTransactions', theirs, { by, fields: { wallet_id: own.wallet_id } });
      for (const { transaction_id } of made) await api.cancelTransaction({ transaction_id });
    });

    it('lists stuck transactions', async () => {
      const { transaction_id, nonce } = await createSent();
      const { stdout } = await runCommand(scene.service().home, [
        'transactions',
        'stuck',
        '--older-than',
        '0',
        '--json',
      ]);
      const { transactions } = JSON.parse(stdout) as { transactions: { transaction_id: string; nonce: string }[] };
      assert.deepEqual(
        transactions.filter((one) => one.transaction_id === transaction_id).map((one) => one.nonce),
        [nonce],
      );
      await mine(2);
      await becomes(transaction_id, 'CONFIRMED');
    });
  });
