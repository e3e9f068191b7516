import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../../../application/async/group-by.js';
import { createRandom } from '../random.js';
import { testSystem } from '../silent.js';
import {
  type Attempt,
  type Fate,
  isTaken,
  misbehaving,
  noticeIn,
  type Receiver,
} from '../webhooks/webhook-receiver.js';
import type { Scene } from './webhook-scene.js';

export type Size = {
  readonly activities: number;
  readonly kills: number;
  readonly odds: Readonly<Record<Exclude<Fate, 'answer'>, number>>;
  /** Time in which everything must be delivered after the last activity. */
  readonly patienceMs: number;
};
type Kill = { readonly at: number; readonly goneAt: number };
type Sent = { readonly walletId: string; readonly to: string; readonly value: string; readonly block: number };
type History = Awaited<ReturnType<Scene['histories']>>[number];
type Hook = { readonly webhookId: string; readonly receiver: Receiver; readonly walletId: string | null };
type Story = {
  readonly hooks: readonly Hook[];
  /** Transfers by transaction hash. */
  readonly sent: Map<string, Sent>;
  readonly kills: Kill[];
};
export type Outcome = {
  readonly violations: readonly string[];
  readonly deliveries: number;
  readonly attempts: number;
  /** Number of attempts after one that was answered with success. */
  readonly duplicates: number;
  /** Number of attempts that no history counts. */
  readonly unrecorded: number;
  readonly fates: Readonly<Record<string, number>>;
};

const walletCount = 3;
const deepest = 3;
/** Time before a kill in which an answer may not have been recorded, on a busy machine. */
const recordingMs = 5000;
/** Time after a kill in which notifications of the dead process may still arrive. */
const arrivingMs = 3000;
const soonestRetryMs = 4400;
/** Twice the time after which the deliverer gives an attempt up, since a machine may stand still. */
const latestEndMs = 30_000;
/** Number of deliveries of one webhook that a process sends at once. */
const inHand = 8;

const attemptsOf = ({ hooks }: Story) => hooks.flatMap(({ receiver }) => receiver.attempts);
const deliveredIn = ({ hooks }: Story) => hooks.reduce((sum, { receiver }) => sum + receiver.taken.size, 0);
const isFor = ({ walletId }: Hook, sent: Sent) => walletId === null || walletId === sent.walletId;
const expectedOf = ({ sent }: Story, hook: Hook) => [...sent].filter(([, one]) => isFor(hook, one));

/** Registers two webhooks: one of all wallets without delay, and one of a single wallet at a greater depth. */
const prepare = async (scene: Scene, { odds }: Size) => {
  const wallets = [];
  for (let n = 0; n < walletCount; n++) wallets.push(await scene.newWallet());
  const hooks: Hook[] = [];
  for (const [confirmation, walletId] of [
    [1, null],
    [deepest, wallets[0]?.wallet_id ?? null],
  ] as const) {
    // The draws are the same in every run, because a run in which no receiver misbehaves would show nothing.
    const { next } = createRandom(1, `fates of ${confirmation}`);
    const receiver = await scene.receiver(misbehaving(odds, next));
    const webhookId = await scene.register(receiver, confirmation, walletId ?? undefined);
    hooks.push({ webhookId, receiver, walletId });
  }
  return { wallets, story: { hooks, sent: new Map(), kills: [] } satisfies Story as Story };
};

type Wallets = Awaited<ReturnType<typeof prepare>>['wallets'];
const act = async (scene: Scene, wallets: Wallets, { sent }: Story, { activities }: Size) => {
  for (let n = 0; n < activities; n++) {
    const wallet = wallets[Math.floor(Math.random() * wallets.length)] as Wallets[number];
    // A transfer to an address that nobody watches must not be reported.
    if (n % 10 === 0) await scene.send(scene.newAddress(), '1');
    const value = String(n + 1);
    const { transaction_hash, block_number } = await scene.send(wallet.address, value);
    sent.set(transaction_hash, { walletId: wallet.wallet_id, to: wallet.address, value, block: block_number });
    // The receivers need a turn, because they share this process with the chain.
    await testSystem.breathe();
  }
  await scene.mine(deepest);
};

/** Spreads the kills over the deliveries, so that each kill finds some under way. */
const killAgainAndAgain = async (scene: Scene, story: Story, size: Size, stop: AbortSignal) => {
  // Wallets are equally likely, so the webhook of one wallet gets its share of the activities.
  const expected = size.activities * (1 + 1 / walletCount);
  for (let n = 1; n <= size.kills && !stop.aborted; n++) {
    while (!stop.aborted && deliveredIn(story) < (expected * n) / (size.kills + 1)) await testSystem.sleep(20);
    await testSystem.sleep(Math.random() * 300);
    const at = Date.now();
    await scene.processes.killDeliverer();
    story.kills.push({ at, goneAt: Date.now() });
    await scene.processes.deliver();
  }
};

const historiesOf = async (scene: Scene, { hooks }: Story) =>
  (await Promise.all(hooks.map(({ webhookId }) => scene.histories(webhookId)))).flat();

const isComplete = async (scene: Scene, story: Story) => {
  const expected = story.hooks.reduce((sum, hook) => sum + expectedOf(story, hook).length, 0);
  if (deliveredIn(story) < expected) return false;
  return (await historiesOf(scene, story)).every(({ webhook_status }) => webhook_status === 'WEBHOOK_STATUS_COMPLETED');
};

/** Tells whether a kill may have prevented the outcome of an attempt from being recorded. */
const wasCut = ({ kills }: Story, { at, endedAt }: Attempt) =>
  kills.some(
    (kill) => at <= kill.goneAt + arrivingMs && (endedAt ?? Number.POSITIVE_INFINITY) >= kill.at - recordingMs,
  );

const sameTransfer = ({ data }: { data: object }, hash: string, { walletId, to, value, block }: Sent) => {
  const { wallet_id, transfer } = data as ReturnType<typeof noticeIn>['data'];
  const { transaction_hash, block_number } = transfer;
  return isDeepStrictEqual(
    [wallet_id, transaction_hash, transfer.to, transfer.value, block_number],
    [walletId, hash, to, value, block],
  );
};

/** Checks that each transfer has one history at each webhook that covers it, and that there is no other history. */
const checkHistories = (story: Story, hook: Hook, histories: readonly History[]) => {
  const byTransaction = groupBy(
    histories,
    (one) => (one.data as never as { transfer: { transaction_hash: string } }).transfer.transaction_hash,
  );
  const wrong = expectedOf(story, hook).flatMap(([hash, sent]) => {
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
    ...wrong,
    ...invented.map((hash) => `${hash} has a history, but no webhook covers it`),
    ...open.map(
      ({ webhook_history_id, webhook_status }) =>
        `${webhook_history_id} ended as ${webhook_status}, expected WEBHOOK_STATUS_COMPLETED`,
    ),
  ];
};

/** Returns what is wrong with an attempt, given the next one. */
const checkAttempt = (story: Story, attempt: Attempt, next: Attempt | undefined) => {
  if (wasCut(story, attempt)) return [];
  const { id, at, endedAt, fate } = attempt;
  const end = endedAt ?? Number.POSITIVE_INFINITY;
  // The deliverer itself ends an attempt that hangs, which this process may notice late.
  const pause = (next?.at ?? 0) - (fate === 'hang' ? at : end);
  if (end - at > latestEndMs) return [`${id} was under way for ${end - at} ms, expected at most ${latestEndMs} ms`];
  if (!next) return isTaken(attempt) ? [] : [`${id} failed and was not sent again`];
  if (isTaken(attempt)) return [`${id} was delivered twice without a kill nearby`];
  return pause < soonestRetryMs
    ? [`${id} was sent again after ${pause} ms, expected at least ${soonestRetryMs} ms`]
    : [];
};

const checkDelivery = (story: Story, attempts: readonly Attempt[], history: History | undefined) => {
  const [first] = attempts as [Attempt];
  const { id } = first;
  if (!history) return [`${id} arrived and has no history`];
  const notice = noticeIn(first);
  const unrecorded = attempts.length - history.delivery_count;
  const cut = attempts.filter((one) => wasCut(story, one)).length;
  const isWrong = {
    [`${id} arrived with different bodies`]: new Set(attempts.map(({ body }) => body)).size > 1,
    [`${id} has another id in its body`]: notice.webhook_history_id !== id,
    [`${id} arrived with other data than its history has`]: !isDeepStrictEqual(notice.data, history.data),
    [`${id} was never accepted by its receiver`]: !attempts.some(isTaken),
    [`${id} arrived ${attempts.length} times, of which ${cut} near a kill, and its history counts ${history.delivery_count}`]:
      unrecorded < 0 || unrecorded > cut,
  };
  return [
    ...Object.entries(isWrong).flatMap(([text, wrong]) => (wrong ? [text] : [])),
    ...attempts.flatMap((attempt, i) => checkAttempt(story, attempt, attempts[i + 1])),
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
    ...[...arrived].flatMap(([id, attempts]) => checkDelivery(story, attempts, byId.get(id))),
  ];
};

const checkChain = async (scene: Scene, story: Story) => {
  const wrong: string[] = [];
  for (const hash of new Set(attemptsOf(story).map((one) => noticeIn(one).data.transfer.transaction_hash)))
    if (!(await scene.isMined(hash))) wrong.push(`${hash} was reported and is not on the chain`);
  return wrong;
};

const judge = async (scene: Scene, story: Story, size: Size): Promise<Outcome> => {
  const violations = await checkChain(scene, story);
  for (const hook of story.hooks) violations.push(...(await checkHook(scene, story, hook)));
  const attempts = attemptsOf(story);
  const histories = await historiesOf(scene, story);
  const deliveries = new Set(attempts.map(({ id }) => id)).size;
  const failed = attempts.filter((one) => !isTaken(one)).length;
  const counted = histories.reduce((sum, { delivery_count }) => sum + delivery_count, 0);
  const fates = Object.fromEntries([...groupBy(attempts, ({ fate }) => fate)].map(([fate, all]) => [fate, all.length]));
  const unrecorded = attempts.length - counted;
  if (unrecorded > story.kills.length * story.hooks.length * inHand)
    violations.push(`${unrecorded} attempts are not in the histories, more than the kills can have cut`);
  if (story.kills.length < size.kills)
    violations.push(`there were ${story.kills.length} kills, expected ${size.kills}`);
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
export const playWebhookFaults = async (
  scene: Scene,
  size: Size,
  report: (progress: { sent: number; delivered: number; attempts: number; kills: number }) => void = () => undefined,
): Promise<Outcome> => {
  const { wallets, story } = await prepare(scene, size);
  const stop = new AbortController();
  const killing = killAgainAndAgain(scene, story, size, stop.signal);
  const reporting = setInterval(() => {
    const delivered = deliveredIn(story);
    report({ sent: story.sent.size, delivered, attempts: attemptsOf(story).length, kills: story.kills.length });
  }, 1000);
  try {
    await act(scene, wallets, story, size);
    const deadline = Date.now() + size.patienceMs;
    while (Date.now() < deadline && !(await isComplete(scene, story))) await testSystem.sleep(250);
  } finally {
    clearInterval(reporting);
    stop.abort();
    await killing;
  }
  return judge(scene, story, size);
};
