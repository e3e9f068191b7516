import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { type DevelopmentChain, startDevelopmentEvm } from '../../../infrastructure/chains/development/evm/chain.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { expressions, metricsIn } from '../../support/monitoring/expressions.js';
import { noPrometheus, noPromtool, type Prometheus, startPrometheus } from '../../support/monitoring/prometheus.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';
import { silent } from '../../support/silent.js';

const suffixes: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_count', '_sum'] };
/** Lists the names of all series that the metrics of a text may have. */
const namesIn = (text: string) =>
  new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type = '']) =>
      (suffixes[type] ?? ['']).map((suffix) => `${name}${suffix}`),
    ),
  );
const ownLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^(?:# (?:HELP|TYPE) )?chainfold_/.test(line))
    .join('\n');

for (const engine of engines)
  describe(`monitoring of the service on ${engine.name}`, () => {
    let chain: DevelopmentChain;
    let service: Service;
    let receiver: Server;
    const closing: (() => unknown)[] = [];
    before(async function () {
      const started = await startDevelopmentEvm({ blockMs: 0, log: silent });
      if (!started) return skip(this, 'monitoring (EDR is not there for this machine)');
      chain = started;
      closing.push(() => chain.close());
      const env = { CHAIN_C_URL: chain.wsUrl, CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true' };
      service = await startService({ on: engine, env });
      closing.push(() => service.stop());
      receiver = createServer((_, response) => void response.writeHead(200).end()).listen(0, '127.0.0.1');
      closing.push(() => receiver.close());
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });
    const scrape = async () => (await fetch(`${service.url}/metrics`)).text();
    const sample = (text: string, series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.slice(series.length) ?? Number.NaN,
      );

    it('measures appends, projections, settlements and delivery attempts', async () => {
      const api = clientOf(service).c;
      const address = Wallet.createRandom().address.toLowerCase();
      const { wallet_id } = await api.registerWallet({ name: 'measured', address, confirmation: 1 });
      const { port } = receiver.address() as AddressInfo;
      const webhook_endpoint = `http://127.0.0.1:${port}/hook`;
      await api.registerWebhook({ wallet_id, webhook_endpoint, confirmation: 1 });
      await chain.request('dev_transfer', [{ variant: 'c', to: address, value: '70' }]);
      await chain.request('dev_mine', [1]);
      await eventually(async () => {
        const text = await scrape();
        for (const series of [
          'chainfold_event_append_seconds_count{outcome="stored"}',
          'chainfold_projection_latency_seconds_count',
          'chainfold_settlement_age_seconds_count{chain="C"}',
          'chainfold_delivery_attempt_seconds_count{outcome="completed",status="2xx"}',
        ])
          assert.ok(sample(text, series) >= 1, series);
        assert.equal(sample(text, 'chainfold_event_append_seconds_count{outcome="failed"}'), 0);
        assert.equal(sample(text, 'chainfold_deliveries_oldest_due_seconds'), 0);
      });
    });

    it('exports every metric that the alert rules and the dashboards name', async () => {
      const exported = namesIn(await scrape());
      const missing = expressions().flatMap(({ place, expr }) =>
        metricsIn(expr).flatMap((name) => (exported.has(name) ? [] : [`${place}: ${name}`])),
      );
      assert.deepEqual(missing, []);
    });

    it('exports every metric that the pages name', async () => {
      const text = await scrape();
      const exported = new Set([
        ...namesIn(text),
        ...[...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name),
      ]);
      const missing = readdirSync('docs')
        .filter((name) => name.endsWith('.md'))
        .flatMap((name) => {
          // An export begins with the field `chainfold_audit`, which is no metric.
          const named = readFileSync(join('docs', name), 'utf8').match(/`chainfold_(?!audit`)[a-z_]+`/g) ?? [];
          return named.map((one) => one.slice(1, -1)).flatMap((one) => (exported.has(one) ? [] : [`${name}: ${one}`]));
        });
      assert.deepEqual(missing, []);
    });

    it('names its metrics by the conventions of Prometheus', async function () {
      if (noPromtool !== null) return skip(this, `the names of the metrics: ${noPromtool}`);
      const input = `${ownLines(await scrape())}\n`;
      execFileSync('promtool', ['check', 'metrics'], { input, stdio: 'pipe' });
    });

    it('gives no metric a label that grows with the number of customers', async () => {
      const labels = new Set([...(await scrape()).matchAll(/[{,]([a-z_]+)="/g)].map(([, label = '']) => label));
      for (const label of ['organization', 'organization_id', 'wallet_id', 'webhook_id', 'key'])
        assert.ok(!labels.has(label), label);
    });

    describeInFull('with a real Prometheus', () => {
      it('evaluates every expression of the alert rules and the dashboards', async function () {
        if (noPrometheus !== null) return skip(this, `expressions in Prometheus: ${noPrometheus}`);
        const prometheus: Prometheus = await startPrometheus(new URL(service.url).host);
        try {
          await eventually(async () => {
            const { result } = (await prometheus.get('query?query=up')) as { result: { value: [number, string] }[] };
            assert.equal(result[0]?.value[1], '1');
          });
          for (const { place, expr } of expressions())
            await assert.doesNotReject(prometheus.get(`query?query=${encodeURIComponent(expr)}`), place);
          await eventually(async () => {
            const { groups } = (await prometheus.get('rules')) as {
              groups: { rules: { name: string; health: string; lastError?: string }[] }[];
            };
            const faults = groups.flatMap((one) => one.rules.filter(({ health }) => health !== 'ok'));
            assert.deepEqual(faults, []);
          });
        } finally {
          await prometheus.stop();
        }
      });
    });
  });
