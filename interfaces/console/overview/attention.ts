import { type ListedWallet, listWallets, listWebhooks, walletApis } from '../session/directory.js';
import { type ChainHealth, health } from '../session/health.js';
import { client } from '../session/session.js';

/** Finding that needs the user's attention, with the URL of the page to open. */
export type Finding = { readonly text: string; readonly detail: string; readonly href: string };

const day = 86_400_000;
/** Age in milliseconds above which a sent transaction counts as stuck. */
const stuckMs = 15 * 60_000;
/**
 * Maximum number of wallets checked for stuck transactions, which bounds the number of requests of the overview.
 */
const maxSenders = 10;
/** Fraction of a quota that must be used before the overview reports the quota. */
const nearlyFull = 0.9;

const chainFindings = (chains: readonly ChainHealth[]): readonly Finding[] =>
  chains
    .filter(({ alarm }) => alarm)
    .map(({ chain, head_age_seconds }) => ({
      text: `Chain ${chain} needs attention`,
      detail: `Following fails, or the newest block is too old (${head_age_seconds} s). chainfold status shows the reason.`,
      href: '/console/history?type=BlockUnreadable',
    }));

const disabledWebhooks = async (signal: AbortSignal): Promise<readonly Finding[]> =>
  (await listWebhooks(signal))
    .filter(({ disabled }) => disabled)
    .map(({ api, webhook_id, webhook_endpoint }) => ({
      text: `Webhook ${webhook_endpoint} is disabled`,
      detail: 'No notification is sent to it until UpdateWebhook enables it.',
      href: `/console/webhooks?api=${api}&webhook=${webhook_id}`,
    }));

const failures = [
  ['WEBHOOK_STATUS_FAILED', 'gave up on notifications'],
  ['WEBHOOK_STATUS_RETRYING', 'is retrying notifications'],
] as const;
const failingDeliveries = async (signal: AbortSignal): Promise<readonly Finding[]> => {
  const start_time = Math.floor((Date.now() - day) / 1000);
  const asked = walletApis.flatMap(({ api }) =>
    failures.map(([status, what]) => ({ api, tag: api.toUpperCase(), status, what })),
  );
  const found = await Promise.all(
    asked.map(async ({ api, tag, status, what }) => {
      const request = { webhook_status: status, start_time, page_size: 100 };
      const { webhook_histories: rows, pagination } = await client[api].listWebhookHistories(request, { signal });
      if (rows.length === 0) return [];
      const count = `${rows.length}${pagination.next_page_token ? ' or more' : ''}`;
      return [
        {
          text: `API ${tag} ${what}`,
          detail: `${count} in the last 24 hours.`,
          href: `/console/webhooks?api=${api}&status=${status}`,
        },
      ];
    }),
  );
  return found.flat();
};

const stuckTransactions = async (
  wallets: readonly ListedWallet[],
  signal: AbortSignal,
): Promise<readonly Finding[]> => {
  const senders = wallets.filter(({ api }) => api === 'c').slice(0, maxSenders);
  const found = await Promise.all(
    senders.map(async ({ wallet_id, name }) => {
      const { transactions } = await client.c.listTransactions({ wallet_id, page_size: 100 }, { signal });
      const stuck = transactions.filter(
        ({ transaction_state, send_time }) =>
          transaction_state === 'TRANSACTION_STATE_SENT' && Date.now() - Date.parse(send_time ?? '') > stuckMs,
      );
      if (stuck.length === 0) return [];
      const detail = `${stuck.length} sent more than 15 minutes ago and not mined.`;
      return [{ text: `Transactions of wallet ${name} are stuck`, detail, href: `/console/wallets/c/${wallet_id}` }];
    }),
  );
  return found.flat();
};

const driftedBalances = async (signal: AbortSignal): Promise<readonly Finding[]> => {
  const from = new Date(Date.now() - day).toISOString();
  const { events } = await client.admin.listEvents({ types: ['BalanceDrifted'], from, page_size: 100 }, { signal });
  if (events.length === 0) return [];
  const detail = `${events.length} in the last 24 hours.`;
  return [
    { text: 'Balances differ from their chain', detail, href: `/console/history?type=BalanceDrifted&from=${from}` },
  ];
};

const fullQuotas = async (signal: AbortSignal): Promise<readonly Finding[]> => {
  const { quotas } = await client.admin.getLimits({}, { signal });
  return quotas
    .filter(({ limit, used }) => limit > 0 && used >= limit * nearlyFull)
    .map(({ quota, limit, used }) => ({
      text: `The quota ${quota} is nearly used up`,
      detail: `${used} of ${limit}. Ask the operator to raise it with SetQuota.`,
      href: '/console/api/admin/GetLimits',
    }));
};

/** Lists the findings that need attention, the most urgent first. */
export const findAttention = async (signal: AbortSignal): Promise<readonly Finding[]> => {
  const { reasons = [], chains = [] } = health.peek() ?? {};
  const notReady = reasons.map((reason) => ({ text: 'The service is not ready', detail: reason, href: '/console' }));
  const wallets = await listWallets(signal);
  const found = await Promise.all([
    stuckTransactions(wallets, signal),
    driftedBalances(signal),
    disabledWebhooks(signal),
    failingDeliveries(signal),
    fullQuotas(signal),
  ]);
  return [...notReady, ...chainFindings(chains), ...found.flat()];
};
