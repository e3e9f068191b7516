import { requestOf, signatureIn } from './unsigned.js';

/** EIP-1193 provider, which wallet extensions of the browser inject into the page. */
type Provider = { request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown> };

const isProvider = (value: unknown): value is Provider =>
  typeof (value as Partial<Provider> | undefined)?.request === 'function';

/** Returns the wallet extension of the browser; null if there is none. */
export const browserWallet = (): Provider | null => {
  const { ethereum } = globalThis as { readonly ethereum?: unknown };
  return isProvider(ethereum) ? ethereum : null;
};

/** Error codes of wallets for an unsupported method. */
const noMethod = [4200, -32_601, -32_004];
const messageOf = (error: unknown) => String((error as { message?: unknown } | null)?.message ?? error);

type ToSign = { readonly from: string; readonly digest: string; readonly unsigned: string };

/** Signs the digest, for wallets without eth_signTransaction. The service rejects signatures of a prefixed digest. */
const signDigest = async (wallet: Provider, account: string, digest: string) =>
  String(await wallet.request({ method: 'eth_sign', params: [account, digest] }));

/**
 * Asks the wallet of the browser for the signature. The wallet shows the content of the transaction; the service checks
 * that the sender signed exactly that content.
 */
export const signWithWallet = async (wallet: Provider, { from, digest, unsigned }: ToSign): Promise<string> => {
  try {
    const accounts = (await wallet.request({ method: 'eth_requestAccounts' })) as readonly string[];
    const account = accounts.find((one) => one.toLowerCase() === from.toLowerCase());
    if (account === undefined)
      throw new Error(`The wallet does not offer the account ${from}. Choose that account in the wallet.`);
    try {
      const answer = await wallet.request({ method: 'eth_signTransaction', params: [requestOf(account, unsigned)] });
      return signatureIn(String((answer as { raw?: string } | null)?.raw ?? answer));
    } catch (error) {
      if (!noMethod.includes(Number((error as { code?: unknown } | null)?.code))) throw error;
      return await signDigest(wallet, account, digest);
    }
  } catch (error) {
    throw new Error(`The browser wallet did not sign: ${messageOf(error)}`);
  }
};
