import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Home, services } from '../support/engines.js';
import type { EventStoreDouble } from '../support/eventstoredb-double/server.js';
import { eventually } from '../support/following.js';
import { call, problemIn } from '../support/http.js';
import type { MongoDouble } from '../support/mongodb-double/server.js';
import { liveAndRebuilt } from '../support/rebuild.js';
import { noRedis, startRedis } from '../support/redis.js';
import { clientOf, demoOf, type Service, startService } from '../support/service.js';
import { skip } from '../support/skip.js';
import { describeInFull } from '../support/tier.js';

/** How long an engine is away in these tests; the adapters know no difference between this and half a minute. */
const awayMs = 6000;
const slowestAnswerMs = 5500;

type Away = { stop(): Promise<void>; start(): Promise<void> };
type Redis = Away & { readonly pid: number };
/** What is done to an engine: `on` begins it, off ends it. */
type Fault = (on: boolean, engines: { eventStore: EventStoreDouble; mongo: MongoDouble; redis: Redis }) => unknown;

type Attempt = { readonly name: string; readonly status: number; readonly code: string | null; readonly ms: number };

const away = (on: boolean, engine: Away) => (on ? engine.stop() : engine.start());

const faults: Readonly<Record<string, Fault>> = {
  'EventStoreDB stops': (on, { eventStore }) => away(on, eventStore),
  'EventStoreDB says nothing': (on, { eventStore }) => eventStore.mute(on),
  'EventStoreDB stores and says nothing': (on, { eventStore }) => eventStore.muteAfterCommit(on),
  'MongoDB stops': (on, { mongo }) => away(on, mongo),
  'MongoDB says nothing': (on, { mongo }) => mongo.mute(on),
  'Redis stops': (on, { redis }) => away(on, redis),
  'Redis says nothing': (on, { redis }) => process.kill(redis.pid, on ? 'SIGSTOP' : 'SIGCONT'),
};

/** Commands from several callers while `during` runs, each with a name of its own, and how each ended. */
const callWhile = async (
  service: Service,
  label: string,
  during: (attempts: readonly Attempt[]) => Promise<void>,
): Promise<Attempt[]> => {
  const demo = demoOf(service.home);
  const attempts: Attempt[] = [];
  const stop = new AbortController();
  const caller = async (who: number) => {
    for (let n = 0; !stop.signal.aborted; n++) {
      const name = `${label} ${who} ${n}`;
      const started = Date.now();
      const answer = await call(service.url, demo, '/v1/c/RegisterWallet', { name });
      const code = answer.status === 200 ? null : problemIn(answer).code;
      attempts.push({ name, status: answer.status, code, ms: Date.now() - started });
    }
  };
  const callers = [0, 1, 2, 3].map(caller);
  await during(attempts);
  stop.abort();
  await Promise.all(callers);
  return attempts;
};

const namesIn = async (service: Service) => {
  const names: string[] = [];
  let token = '';
  do {
    const page = await clientOf(service).c.listWallets({ page_size: 100, page_token: token });
    names.push(...page.wallets.map(({ name }) => name));
    token = page.pagination.next_page_token;
  } while (token);
  return names;
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeInFull('engines that fail under a running service', () => {
  let home: Home;
  let service: Service;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const toStop: (() => Promise<unknown>)[] = [];
  before(async function () {
    if (noRedis !== null) return skip(this, `engines that fail: ${noRedis}`);
    this.timeout(60_000);
    home = await services.home();
    if (!home.doubles) return skip(this, 'engines that fail: real servers cannot be made to');
    redis = await startRedis();
    toStop.push(() => redis.stop());
    service = await startService({ on: home, env: { REDIS_URL: redis.url, CHAINFOLD_LOG_LEVEL: 'silent' } });
    toStop.push(service.stop);
  });
  after(async () => {
    for (const stop of toStop.reverse()) await stop();
  });

  const redisControl = {
    get pid() {
      return redis.process.pid ?? 0;
    },
    stop: () => redis.stop(),
    start: async () => {
      redis = await startRedis(Number(new URL(redis.url).port));
    },
  };

  for (const [title, fault] of Object.entries(faults))
    it(`${title}: callers hear of it in time, nothing is lost or doubled, and it goes on by itself`, async function () {
      this.timeout(60_000);
      assert.ok(home.doubles);
      const engines = { ...home.doubles, redis: redisControl };
      const attempts = await callWhile(service, title, async (soFar) => {
        await eventually(async () => assert.ok(soFar.length >= 10, 'it works before'));
        await fault(true, engines);
        await sleep(awayMs);
        await fault(false, engines);
      });
      for (const { status, code, ms, name } of attempts) {
        assert.ok(status === 200 || (status === 503 && code === 'UNAVAILABLE'), `${name}: ${status} ${code}`);
        assert.ok(ms < slowestAnswerMs, `${name} took ${ms} ms`);
      }
      assert.ok(
        attempts.some(({ status, ms }) => status === 503 || ms > 1000),
        'the fault was felt',
      );
      const { wallet_id } = await untilItWorks(() => clientOf(service).c.registerWallet({ name: `${title}: after` }));
      await untilItWorks(() => clientOf(service).c.getWallet({ wallet_id }));
      const stored = (await namesIn(service)).filter((name) => name.startsWith(`${title} `));
      assert.equal(new Set(stored).size, stored.length, 'nothing is there twice');
      const answered = attempts.filter(({ status }) => status === 200).map(({ name }) => name);
      assert.deepEqual(
        answered.filter((name) => !stored.includes(name)),
        [],
      );
    });

  it('has read models that equal a rebuild after all of this', async () => {
    const { live, rebuilt } = await liveAndRebuilt(home, [demoOf(home).organizationId]);
    assert.deepEqual(live, rebuilt);
    assert.equal(service.process.exitCode, null, 'the service never stopped');
  });

  it('waits at the start for an engine that comes later', async function () {
    this.timeout(60_000);
    assert.ok(home.doubles);
    await home.doubles.mongo.stop();
    const late = startService({ on: home, env: { REDIS_URL: redis.url } });
    await sleep(4500);
    await home.doubles.mongo.start();
    const started = await late;
    assert.match(started.output(), /MongoDB does not work right now; waiting for it/);
    const gone = once(started.process, 'exit');
    await started.stop();
    await gone.catch(() => undefined);
  });
});

const untilItWorks = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;)
    try {
      return await work();
    } catch {
      await sleep(100);
    }
};
