import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../../../application/async/group-by.js';
import { eventually, until } from '../eventually.js';
import { createRandom } from '../random.js';
import { seed } from '../run/seed.js';
import { testSystem } from '../silent.js';
import {
  type Attempt,
  type Fate,
  isAccepted,
  misbehaving,
  noticeIn,
  type Receiver,
} from '../webhooks/webhook-receiver.js';
import type { Scene } from './webhook-scene.js';

export type Size = {
  readonly activities: number;
  readonly kills: number;
  readonly odds: Readonly<Record<Exclude<Fate, 'answer'>, number>>;
};
/**
 * Kill of the deliverer: for each webhook, the number of a connection to its receiver. The killed process opened only
 * connections with lower numbers, and later processes only higher ones.
 */
type Kill = readonly number[];
type Sent = { readonly walletId: string; readonly to: string; readonly value: string; readonly block: number };
type History = Awaited<ReturnType<Scene['histories']>>[number];
type Hook = { readonly webhookId: string; readonly receiver: Receiver; readonly walletId: string | null };
type Story = {
  readonly hooks: readonly Hook[];
  /** Transfers, keyed by transaction hash. */
  readonly sent: Map<string, Sent>;
  readonly kills: Kill[];
};
export type Outcome = {
  readonly violations: readonly string[];
  readonly deliveries: number;
  readonly attempts: number;
  /** Number of accepted attempts that repeated an already accepted attempt of the same delivery. */
  readonly duplicates: number;
  /** Number of attempts that reached a receiver, but that no webhook history counts. */
  readonly unrecorded: number;
  readonly fates: Readonly<Record<string, number>>;
};

const walletCount = 3;
const maxDepth = 3;
/** Minimum time in ms between the end of an attempt and the start of the next one. */
const soonestRetryMs = 4400;
/** Maximum number of deliveries to one webhook that a process sends at the same time. */
const inHand = 8;

const attemptsOf = ({ hooks }: Story) => hooks.flatMap(({ receiver }) => receiver.attempts);
const deliveredIn = ({ hooks }: Story) => hooks.reduce((sum, { receiver }) => sum + receiver.acceptedIds.size, 0);
const isFor = ({ walletId }: Hook, sent: Sent) => walletId === null || walletId === sent.walletId;
const expectedOf = ({ sent }: Story, hook: Hook) => [...sent].filter(([, one]) => isFor(hook, one));

/** Registers two webhooks: one for all wallets at one confirmation, and one for a single wallet at `maxDepth`. */
const prepare = async (scene: Scene, { odds }: Size) => {
  const wallets = [];
  for (let n = 0; n < walletCount; n++) wallets.push(await scene.newWallet());
  const hooks: Hook[] = [];
  for (const [confirmation, walletId] of [
    [1, null],
    [maxDepth, wallets[0]?.wallet_id ?? null],
  ] as const) {
    const { next } = createRandom(seed, `fates of ${confirmation}`);
    const receiver = await scene.receiver(misbehaving(odds, next));
    const webhookId = await scene.register(receiver, confirmation, walletId ?? undefined);
    hooks.push({ webhookId, receiver, walletId });
  }
  return { wallets, story: { hooks, sent: new Map(), kills: [] } satisfies Story as Story };
};

type Wallets = Awaited<ReturnType<typeof prepare>>['wallets'];
const act = async (scene: Scene, wallets: Wallets, { sent }: Story, { activities }: Size) => {
  const random = createRandom(seed, 'activities');
  for (let n = 0; n < activities; n++) {
    const wallet = random.pick(wallets);
    // A transfer to an address that nobody watches must not be reported.
    if (n % 10 === 0) await scene.send(scene.newAddress(), '1');
    const value = String(n + 1);
    const { transaction_hash, block_number } = await scene.send(wallet.address, value);
    sent.set(transaction_hash, { walletId: wallet.wallet_id, to: wallet.address, value, block: block_number });
    // The receivers need a turn of the event loop, because they share this process with the chain.
    await testSystem.breathe();
  }
  await scene.mine(maxDepth);
};

/** Spreads the kills over the deliveries, so that most kills interrupt some of them. */
const killAgainAndAgain = async (scene: Scene, story: Story, { activities, kills }: Size) => {
  const random = createRandom(seed, 'kills');
  for (let n = 1; n <= kills; n++) {
    // Number of deliveries after which this kill comes. There are at least `activities` deliveries, because the webhook
    // for all wallets alone receives that many.
    const share = (activities * n) / (kills + 1);
    await until(`${share} deliveries arrived`, () => deliveredIn(story) >= share);
    await testSystem.sleep(random.below(300));
    await scene.processes.killDeliverer();
    story.kills.push(await Promise.all(story.hooks.map(({ receiver }) => receiver.nextConnection())));
    await scene.processes.deliver();
  }
};

const historiesOf = async (scene: Scene, { hooks }: Story) =>
  (await Promise.all(hooks.map(({ webhookId }) => scene.histories(webhookId)))).flat();

const assertComplete = async (scene: Scene, story: Story) => {
  const expected = story.hooks.reduce((sum, hook) => sum + expectedOf(story, hook).length, 0);
  assert.equal(deliveredIn(story), expected, 'deliveries that arrived');
  const open = (await historiesOf(scene, story)).filter(
    ({ webhook_status }) => webhook_status !== 'WEBHOOK_STATUS_COMPLETED',
  );
  assert.deepEqual(open, []);
};

/** Returns how many deliverers had been killed before the one that made the attempt was started. */
const lifeOf = ({ hooks, kills }: Story, hook: Hook, { connection }: Attempt) =>
  kills.filter((kill) => connection > (kill[hooks.indexOf(hook)] as number)).length;
/** Reports whether a kill may have prevented the outcome of an attempt from being recorded. */
const wasCut = (story: Story, hook: Hook, attempt: Attempt) => lifeOf(story, hook, attempt) < story.kills.length;

const sameTransfer = ({ data }: { data: object }, hash: string, { walletId, to, value, block }: Sent) => {
  const { wallet_id, transfer } = data as ReturnType<typeof noticeIn>['data'];
  const { transaction_hash, block_number } = transfer;
  return isDeepStrictEqual(
    [wallet_id, transaction_hash, transfer.to, transfer.value, block_number],
    [walletId, hash, to, value, block],
  );
};

/**
 * Returns the violations in the histories of a webhook: each transfer that the webhook covers must have exactly one
 * history, and there must be no other history.
 */
const checkHistories = (story: Story, hook: Hook, histories: readonly History[]) => {
  const byTransaction = groupBy(
    histories,
    (one) => (one.data as never as { transfer: { transaction_hash: string } }).transfer.transaction_hash,
  );
  const violations = expectedOf(story, hook).flatMap(([hash, sent]) => {
    const [first, ...more] = byTransaction.get(hash) ?? [];
    if (!first) return [`${hash} has no history`];
    if (more.length > 0) return [`${hash} has ${more.length + 1} histories`];
    return sameTransfer(first, hash, sent) ? [] : [`the history of ${hash} has other data than the transfer`];
  });
  const invented = [...byTransaction.keys()].filter((hash) => {
    const sent = story.sent.get(hash);
    return !sent || !isFor(hook, sent);
  });
  const open = histories.filter(({ webhook_status }) => webhook_status !== 'WEBHOOK_STATUS_COMPLETED');
  return [
    ...violations,
    ...invented.map((hash) => `${hash} has a history, but no webhook covers it`),
    ...open.map(
      ({ webhook_history_id, webhook_status }) =>
        `${webhook_history_id} ended as ${webhook_status}, expected WEBHOOK_STATUS_COMPLETED`,
    ),
  ];
};

/**
 * Returns the violations of an attempt, given the next attempt of the delivery. After a kill, the next process may
 * repeat any attempt.
 */
const checkAttempt = (story: Story, hook: Hook, attempt: Attempt, next: Attempt | undefined) => {
  const { id, at, endedAt, fate } = attempt;
  if (!next) return isAccepted(attempt) ? [] : [`${id} failed and was not sent again`];
  if (lifeOf(story, hook, attempt) < lifeOf(story, hook, next)) return [];
  if (isAccepted(attempt)) return [`${id} was delivered twice by one process`];
  // Counts from the start of an attempt that hangs: the deliverer ends it, but this process may notice the end late.
  const pause = next.at - (fate === 'hang' ? at : (endedAt ?? Number.POSITIVE_INFINITY));
  return pause < soonestRetryMs
    ? [`${id} was sent again after ${pause} ms, expected at least ${soonestRetryMs} ms`]
    : [];
};

const checkDelivery = (story: Story, hook: Hook, attempts: readonly Attempt[], history: History | undefined) => {
  const [first] = attempts as [Attempt];
  const { id } = first;
  if (!history) return [`${id} arrived and has no history`];
  const notice = noticeIn(first);
  const unrecorded = attempts.length - history.delivery_count;
  const cut = attempts.filter((one) => wasCut(story, hook, one)).length;
  const isWrong = {
    [`${id} arrived with different bodies`]: new Set(attempts.map(({ body }) => body)).size > 1,
    [`${id} has another id in its body`]: notice.webhook_history_id !== id,
    [`${id} arrived with other data than its history has`]: !isDeepStrictEqual(notice.data, history.data),
    [`${id} was never accepted by its receiver`]: !attempts.some(isAccepted),
    [`${id} arrived ${attempts.length} times, of which ${cut} before a kill, and its history counts ${history.delivery_count}`]:
      unrecorded < 0 || unrecorded > cut,
  };
  return [
    ...Object.entries(isWrong).flatMap(([text, isViolated]) => (isViolated ? [text] : [])),
    ...attempts.flatMap((attempt, i) => checkAttempt(story, hook, attempt, attempts[i + 1])),
  ];
};

const checkHook = async (scene: Scene, story: Story, hook: Hook) => {
  const histories = await scene.histories(hook.webhookId);
  const byId = new Map(histories.map((one) => [one.webhook_history_id, one]));
  const arrived = groupBy(hook.receiver.attempts, ({ id }) => id);
  const missing = histories.filter(({ webhook_history_id }) => !arrived.has(webhook_history_id));
  return [
    ...hook.receiver.complaints,
    ...checkHistories(story, hook, histories),
    ...missing.map(({ webhook_history_id }) => `${webhook_history_id} never arrived`),
    ...[...arrived].flatMap(([id, attempts]) => checkDelivery(story, hook, attempts, byId.get(id))),
  ];
};

const checkChain = async (scene: Scene, story: Story) => {
  const violations: string[] = [];
  for (const hash of new Set(attemptsOf(story).map((one) => noticeIn(one).data.transfer.transaction_hash)))
    if (!(await scene.isMined(hash))) violations.push(`${hash} was reported and is not on the chain`);
  return violations;
};

const checkOutcome = async (scene: Scene, story: Story): Promise<Outcome> => {
  const violations = await checkChain(scene, story);
  for (const hook of story.hooks) violations.push(...(await checkHook(scene, story, hook)));
  const attempts = attemptsOf(story);
  const histories = await historiesOf(scene, story);
  const deliveries = new Set(attempts.map(({ id }) => id)).size;
  const failed = attempts.filter((one) => !isAccepted(one)).length;
  const counted = histories.reduce((sum, { delivery_count }) => sum + delivery_count, 0);
  const fates = Object.fromEntries([...groupBy(attempts, ({ fate }) => fate)].map(([fate, all]) => [fate, all.length]));
  const unrecorded = attempts.length - counted;
  if (unrecorded > story.kills.length * story.hooks.length * inHand)
    violations.push(`${unrecorded} attempts are not in the histories, more than the kills can have cut`);
  return {
    violations,
    deliveries,
    attempts: attempts.length,
    duplicates: attempts.length - failed - deliveries,
    unrecorded,
    fates,
  };
};

/** Sends activities to misbehaving receivers while the deliverer is killed repeatedly, and checks the outcome. */
export const playWebhookFaults = async (scene: Scene, size: Size): Promise<Outcome> => {
  const { wallets, story } = await prepare(scene, size);
  await Promise.all([act(scene, wallets, story, size), killAgainAndAgain(scene, story, size)]);
  await eventually(() => assertComplete(scene, story));
  return checkOutcome(scene, story);
};
