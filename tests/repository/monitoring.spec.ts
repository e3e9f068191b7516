import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { sectionsIn } from '../support/docs/markdown.js';
import { dashboards, metricsIn, rules, rulesFile, ruleTestsFile } from '../support/monitoring/expressions.js';
import { noPromtool } from '../support/monitoring/prometheus.js';
import { skip } from '../support/run/skip.js';

type Case = {
  readonly name: string;
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
};

describe('the alert rules', () => {
  const promtool = (test: Mocha.Context, ...args: readonly string[]) => {
    if (noPromtool !== null) return skip(test, `the alert rules: ${noPromtool}`);
    execFileSync('promtool', args, { stdio: 'pipe' });
  };

  it('are valid for promtool', function () {
    promtool(this, 'check', 'rules', rulesFile);
  });

  it('fire and stay silent as their unit tests say', function () {
    promtool(this, 'test', 'rules', ruleTestsFile);
  });

  it('each have a unit test that fires and one that stays silent', () => {
    const { tests } = parse(readFileSync(ruleTestsFile, 'utf8')) as { tests: readonly Case[] };
    const cases = tests.flatMap((one) => one.alert_rule_test);
    const tested = (isFiring: boolean) =>
      cases.filter(({ exp_alerts }) => exp_alerts.length > 0 === isFiring).map(({ alertname }) => alertname);
    const names = rules().map(({ alert }) => alert);
    assert.ok(names.length > 20);
    assert.deepEqual(tested(true), names);
    assert.deepEqual(tested(false), names);
  });

  it('each name a section of the runbook that names the alert', () => {
    const sections = new Map(
      sectionsIn(readFileSync('docs/operations.md', 'utf8')).map(({ anchor, lines }) => [anchor, lines.join('\n')]),
    );
    const faults = rules().filter(({ alert, annotations }) => {
      const [page, anchor = ''] = annotations.runbook_url.split('#');
      return page !== 'docs/operations.md' || !sections.get(anchor)?.includes(`\`${alert}\``);
    });
    assert.deepEqual(
      faults.map(({ alert, annotations }) => `${alert}: ${annotations.runbook_url}`),
      [],
    );
  });

  it('each have a known severity and never select an organization', () => {
    for (const { alert, labels, expr } of rules()) {
      assert.ok(['page', 'ticket'].includes(labels.severity), alert);
      assert.doesNotMatch(expr, /organization/, alert);
    }
  });
});

describe('the dashboards', () => {
  const all = [...dashboards()];

  it('cover the overview, the chains, the webhooks, the gateway and the projections', () => {
    assert.deepEqual(
      new Set(all.map(([file]) => file)),
      new Set(['chains.json', 'gateway.json', 'overview.json', 'projections.json', 'webhooks.json']),
    );
    assert.equal(new Set(all.map(([, { uid }]) => uid)).size, all.length);
  });

  for (const [file, { panels }] of all)
    it(`lay out panels with queries side by side, in ${file}`, () => {
      assert.ok(panels.length > 5);
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
      );
      assert.equal(new Set(cells).size, cells.length, 'two panels overlap');
      for (const { title, targets, gridPos } of panels) {
        assert.ok(gridPos.x + gridPos.w <= 24, title);
        assert.ok(targets.length > 0, title);
        for (const { expr } of targets) assert.ok(metricsIn(expr).length > 0 || /\b(?:up|ALERTS)\b/.test(expr), title);
      }
    });
});
