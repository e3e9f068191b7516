import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Home, services } from '../../support/engines/engines.js';
import { noRedis, startRedis } from '../../support/engines/redis.js';
import type { EventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { eventually, until } from '../../support/eventually.js';
import { liveAndRebuilt } from '../../support/histories/rebuild.js';
import type { MongoDouble } from '../../support/mongodb-double/server.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

const callers = 4;

type Away = { stop(): Promise<void>; start(): Promise<void> };
type Redis = Away & { readonly pid: number };
/** Begins a fault of an engine when `on` is true, and ends it otherwise. */
type Fault = (on: boolean, engines: { eventStore: EventStoreDouble; mongo: MongoDouble; redis: Redis }) => unknown;

type Attempt = {
  readonly who: number;
  readonly name: string;
  readonly started: number;
  readonly status: number;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  /** True if the response says that the read models are behind. */
  readonly isPending: boolean;
};
const isAffected = ({ status, isPending }: Attempt) => status === 503 || isPending;

/** Fault in which the engine also loses its data, so that nonces which may have been used are rejected for a while. */
const forgetful = 'Redis stops';
const isForgotten = ({ status, problem }: Attempt) =>
  status === 401 && /Earlier nonces cannot be checked for reuse\.$/.test(problem?.detail ?? '');

const away = (on: boolean, engine: Away) => (on ? engine.stop() : engine.start());

const faults: Readonly<Record<string, Fault>> = {
  'EventStoreDB stops': (on, { eventStore }) => away(on, eventStore),
  'EventStoreDB does not answer': (on, { eventStore }) => eventStore.mute(on),
  'EventStoreDB commits but does not answer': (on, { eventStore }) => eventStore.muteAfterCommit(on),
  'MongoDB stops': (on, { mongo }) => away(on, mongo),
  'MongoDB does not answer': (on, { mongo }) => mongo.mute(on),
  [forgetful]: (on, { redis }) => away(on, redis),
  'Redis does not answer': (on, { redis }) => process.kill(redis.pid, on ? 'SIGSTOP' : 'SIGCONT'),
};

/** Sends commands, each under a name of its own, from several callers while `during` runs; returns how each ended. */
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
      const problem = answer.status === 200 ? null : problemIn(answer);
      const isPending = answer.headers.get('x-consistency') === 'pending';
      attempts.push({ who, name, started, status: answer.status, problem, isPending });
    }
  };
  const calling = Array.from({ length: callers }, (_, who) => caller(who));
  await during(attempts).finally(() => stop.abort());
  await Promise.all(calling);
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

describeInFull('a service whose engines fail', () => {
  let home: Home;
  let service: Service;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const toStop: (() => Promise<unknown>)[] = [];
  before(async function () {
    if (noRedis !== null) return skip(this, `engines that fail: ${noRedis}`);
    home = await services.home();
    if (!home.doubles) return skip(this, 'engines that fail: real servers cannot be made to');
    redis = await startRedis();
    toStop.push(() => redis.stop());
    service = await startService({
      on: home,
      env: { REDIS_URL: redis.url, CHAINFOLD_LOG_LEVEL: 'silent', CHAINFOLD_REQUEST_TIMEOUT_MS: '4000' },
    });
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
    it(`answers in time, loses and duplicates nothing, and recovers by itself when ${title}`, async () => {
      assert.ok(home.doubles);
      const engines = { ...home.doubles, redis: redisControl };
      const attempts = await callWhile(service, title, async (soFar) => {
        await until('the service answers ten commands before the fault', () => soFar.length >= 10);
        const { unanswered } = engines.eventStore;
        await fault(true, engines);
        const since = Date.now();
        const answered = () => soFar.filter(({ started }) => started >= since);
        // The engine stays unavailable until every caller has an answer, so no answer can have waited for the engine.
        await eventually(async () => {
          assert.equal(new Set(answered().map(({ who }) => who)).size, callers, 'every caller is answered meanwhile');
          const wasFelt = answered().some(isAffected) || engines.eventStore.unanswered > unanswered;
          assert.ok(wasFelt, 'the fault delayed or refused at least one command');
        }).finally(() => fault(false, engines));
      });
      for (const attempt of attempts) {
        const { status, problem, name } = attempt;
        const isRefused = status === 503 && problem?.code === 'UNAVAILABLE';
        const isExpected = status === 200 || isRefused || (title === forgetful && isForgotten(attempt));
        assert.ok(isExpected, `${name}: ${status} ${problem?.code} ${problem?.detail}`);
      }
      const { wallet_id } = await eventually(() => clientOf(service).c.registerWallet({ name: `${title}: after` }));
      await eventually(() => clientOf(service).c.getWallet({ wallet_id }));
      const stored = (await namesIn(service)).filter((name) => name.startsWith(`${title} `));
      assert.equal(new Set(stored).size, stored.length, 'no wallet is stored twice');
      const answered = attempts.filter(({ status }) => status === 200).map(({ name }) => name);
      assert.deepEqual(
        answered.filter((name) => !stored.includes(name)),
        [],
      );
    });

  it('has read models that equal a rebuild after all these faults', async () => {
    const { live, rebuilt } = await liveAndRebuilt(home, [demoOf(home).organizationId]);
    assert.deepEqual(live, rebuilt);
    assert.equal(service.process.exitCode, null, 'the service never stopped');
  });

  it('waits at startup for an engine that starts later', async () => {
    assert.ok(home.doubles);
    await home.doubles.mongo.stop();
    let log = '';
    const onLog = (text: string) => {
      log += text;
    };
    const late = startService({ on: home, env: { REDIS_URL: redis.url }, onLog });
    await eventually(async () => assert.match(log, /Startup is waiting: MongoDB unavailable/));
    await home.doubles.mongo.start();
    const started = await late;
    const gone = once(started.process, 'exit');
    await started.stop();
    await gone.catch(() => undefined);
  });
});
