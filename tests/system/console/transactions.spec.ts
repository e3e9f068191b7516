import assert from 'node:assert/strict';
import { Transaction, Wallet } from 'ethers';
import type { Page } from 'playwright-core';
import { markup, useConsole } from '../../support/console/console.js';
import { pressOn, tabTo } from '../../support/console/keyboard.js';
import { usePageReader } from '../../support/console/read-page.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { account, receiver } from '../../support/scenes/payments.js';

const sender = account(0);
const wallet = new Wallet(sender.key);

/** Request that a page makes to the browser's wallet. */
type Call = { readonly method: string; readonly params?: readonly unknown[] };

/**
 * Answers like a wallet that signs transactions. Before it signs, it checks the transaction that it receives.
 */
const signTransaction = async ({ method, params = [] }: Call) => {
  if (method === 'eth_requestAccounts') return [wallet.address];
  assert.equal(method, 'eth_signTransaction');
  const { gas, from, type, ...fields } = params[0] as Record<string, string>;
  assert.equal(from, wallet.address);
  const transaction = Transaction.from({ ...fields, gasLimit: gas, type: Number(type ?? 0) } as object);
  return wallet.signTransaction(transaction);
};
/** Answers like a wallet that signs only digests. */
const signDigest = async ({ method, params = [] }: Call) => {
  if (method === 'eth_requestAccounts') return [wallet.address];
  if (method !== 'eth_sign') return { refusal: { code: 4200, message: `${method} is not supported` } };
  return wallet.signingKey.sign(String(params[1])).serialized;
};

/** Installs a browser wallet in a page, and reloads the page. */
const giveWallet = async (page: Page, answer: (call: Call) => Promise<unknown>) => {
  await page.exposeFunction('askWallet', answer);
  await page.addInitScript(`window.ethereum = { request: async (call) => {
    const answer = await window.askWallet(call);
    if (answer.refusal) throw Object.assign(new Error(answer.refusal.message), answer.refusal);
    return answer;
  } };`);
  await page.reload();
};

describe('the transactions in the console', () => {
  const console = useConsole();
  const read = usePageReader(console);
  let walletId = '';
  before(async function () {
    if (!console().chain) return skip(this, 'there is no development chain of API c here');
    const payments = { name: 'payments <b onclick=alert(1)>x</b>', address: sender.address, confirmation: 2 };
    walletId = (await console().client.c.registerWallet(payments)).wallet_id;
  });

  const api = () => console().client.c;
  const mine = (blocks: number) => console().chain?.request('dev_mine', [blocks]);
  const create = async (given: object = {}) => {
    const request = { wallet_id: walletId, from: sender.address, to: receiver(), value: '1000', ...given };
    return (await api().createTransaction(request)).transaction;
  };
  const sign = async (transaction_id: string) => {
    const { transaction_message_to_sign: digest } = await api().getTransactionMessageToSign({ transaction_id });
    return sender.key.sign(digest).serialized;
  };
  const createSent = async (given: object = {}) => {
    const { transaction_id } = await create(given);
    await api().submitTransactionSignature({ transaction_id, signature: await sign(transaction_id) });
    await api().sendTransaction({ transaction_id });
    return transaction_id;
  };
  const stateOf = async (transaction_id: string) => (await api().getTransaction({ transaction_id })).transaction;
  const becomes = (id: string, state: string) =>
    eventually(async () => assert.equal((await stateOf(id)).transaction_state, `TRANSACTION_STATE_${state}`));
  const showsState = (page: Page, state: string) =>
    page.locator('p[role="status"] .badge', { hasText: new RegExp(`^${state}$`) }).waitFor();
  const open = (id: string) => console().openSignedIn(`/console/transactions/${id}`);

  it('are signed, sent and watched until they are confirmed, by keyboard', async () => {
    const { transaction_id } = await create();
    const page = await open(transaction_id);
    const asked = await api().getTransactionMessageToSign({ transaction_id });
    assert.equal(
      await page.locator('dt:text-is("Message to sign") + dd code').getAttribute('title'),
      asked.transaction_message_to_sign,
    );
    assert.equal(await page.locator('dt:text-is("Highest fee") + dd').textContent(), asked.preview?.max_fee);
    await tabTo(page, 'Signature of the message, without a prefix');
    await page.keyboard.insertText(await sign(transaction_id));
    await page.keyboard.press('Enter');
    await showsState(page, 'signed');
    await pressOn(page, 'Send');
    await showsState(page, 'sent');
    await mine(3);
    await showsState(page, 'confirmed');
    const steps = page.getByRole('list', { name: 'Life of the transaction' }).locator('strong');
    const expected = ['created', 'signed', 'sent', 'accepted by a node', 'mined', 'confirmed'];
    await eventually(async () => assert.deepEqual((await steps.allTextContents()).slice(0, expected.length), expected));
    const { transaction_fee, block_number } = await stateOf(transaction_id);
    const life = await page.getByRole('list', { name: 'Life of the transaction' }).locator('li').allInnerTexts();
    assert.equal(life.filter((step) => step.includes(`block ${block_number}`)).length, 2);
    assert.equal(await page.locator('dt:text-is("Fee paid") + dd').textContent(), transaction_fee);
    assert.equal(await page.locator('dt:text-is("Block") + dd').textContent(), String(block_number));
    await page.context().close();
  });

  for (const [what, answer, fees] of [
    ['that signs transactions', signTransaction, {}],
    ['that signs transactions of type 2', signTransaction, { max_fee_per_gas: '3000000000' }],
    ['that signs digests only', signDigest, {}],
  ] as const)
    it(`are signed with a wallet of the browser ${what}`, async () => {
      const { transaction_id } = await create(fees);
      const page = await open(transaction_id);
      await page.getByRole('button', { name: 'Submit signature' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Sign with the browser wallet' }).count(), 0);
      await giveWallet(page, answer);
      await pressOn(page, 'Sign with the browser wallet');
      // The page was reloaded, so it no longer has the signing key and asks for the secret.
      await page.getByRole('dialog').waitFor();
      await page.keyboard.insertText(console().credentials.key);
      await page.keyboard.press('Tab');
      await page.keyboard.insertText(console().credentials.secret);
      await page.keyboard.press('Enter');
      await showsState(page, 'signed');
      await api().cancelTransaction({ transaction_id });
      await page.context().close();
    });

  it('say why a wallet of the browser did not sign, as text', async () => {
    const { transaction_id } = await create();
    const page = await open(transaction_id);
    await giveWallet(page, async () => ({ refusal: { code: 4001, message: markup } }));
    await pressOn(page, 'Sign with the browser wallet');
    await page.getByText(`The browser wallet did not sign: ${markup}`).waitFor();
    await api().cancelTransaction({ transaction_id });
    await page.context().close();
  });

  it('are sped up, and canceled once they are sent, by keyboard', async () => {
    const id = await createSent();
    const page = await open(id);
    await pressOn(page, 'Speed up');
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await showsState(page, 'created');
    const replacement = page.url().split('/').at(-1) ?? '';
    const [old, faster] = await Promise.all([id, replacement].map(stateOf));
    assert.equal(faster?.nonce, old?.nonce);
    assert.ok(BigInt(faster?.gas_price ?? 0) * 8n >= BigInt(old?.gas_price ?? 0) * 9n);
    await pressOn(page, 'Cancel it');
    await showsState(page, 'canceled');
    await page.goto(`${console().origin}/console/transactions/${id}`);
    await showsState(page, 'sent');
    await pressOn(page, 'Cancel it');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.insertText(console().credentials.key);
    await page.keyboard.press('Tab');
    await page.keyboard.insertText(console().credentials.secret);
    await page.keyboard.press('Enter');
    await showsState(page, 'canceling');
    await page.getByText('cancellation', { exact: true }).waitFor();
    await tabTo(page, 'Signature of the message, without a prefix');
    await page.keyboard.insertText(await sign(id));
    await page.keyboard.press('Enter');
    await page.getByText('The signature was accepted.').waitFor();
    await pressOn(page, 'Send');
    await page.getByText(/^Sent as 0x/).waitFor();
    await mine(3);
    await showsState(page, 'canceled');
    await page.context().close();
  });

  it('are listed as ListTransactions answers them, with a gap in the nonces of their sender', async () => {
    const next = Number((await create()).nonce);
    await createSent({ nonce: next + 2 });
    const page = await console().openSignedIn('/console/transactions');
    await tabTo(page, /^Wallet(?!s)/);
    await page.keyboard.type('payments');
    await page.getByText('A nonce is missing.').waitFor();
    const { transactions } = await api().listTransactions({ wallet_id: walletId, page_size: 25 });
    const rows = page.locator('section[aria-label="Transactions"] tbody tr');
    assert.deepEqual(
      await rows.locator('th').allTextContents(),
      transactions.map((one) => one.transaction_id),
    );
    const lane = await page.getByRole('region', { name: 'Nonces of the sender' }).locator('li').allInnerTexts();
    assert.deepEqual(
      lane.slice(-3).map((text) => text.split(/\s+/)),
      [
        [String(next), 'created'],
        [String(next + 1), 'gap'],
        [String(next + 2), 'sent'],
      ],
    );
    await tabTo(page, 'created');
    await page.keyboard.press('Enter');
    await showsState(page, 'created');
    await page.context().close();
  });

  it('are shown in every size and colour', async () => {
    await becomes(
      (await api().listTransactions({ wallet_id: walletId })).transactions.at(-1)?.transaction_id ?? '',
      'CONFIRMED',
    );
    const [sent, created] = (await api().listTransactions({ wallet_id: walletId })).transactions;
    await read({
      name: 'transactions',
      path: `/console/transactions?${new URLSearchParams({ wallet: walletId })}`,
      isReady: (page) => page.getByText('A nonce is missing.').waitFor(),
      height: 700,
    });
    const hasLife = (page: Page) =>
      page.getByRole('list', { name: 'Life of the transaction' }).getByText('created').waitFor();
    await read({ path: `/console/transactions/${created?.transaction_id}`, isReady: hasLife });
    await read({
      name: 'transaction',
      path: `/console/transactions/${sent?.transaction_id}`,
      isReady: hasLife,
      height: 1060,
    });
  });

  it('make no request to another origin, no violation of the policy, and no error', () =>
    assert.deepEqual(console().reports, []));
});
