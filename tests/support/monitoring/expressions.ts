import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
};

type Panel = {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
};
export type Dashboard = { readonly uid: string; readonly title: string; readonly panels: readonly Panel[] };

export const rulesFile = 'deploy/prometheus/rules.yml';
export const ruleTestsFile = 'deploy/prometheus/rules.test.yml';
const dashboardFolder = 'deploy/grafana';

export const rules = (): readonly Rule[] => {
  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
};

/** Returns the dashboards, keyed by file name. */
export const dashboards = (): ReadonlyMap<string, Dashboard> =>
  new Map(
    readdirSync(dashboardFolder).map((name) => [name, JSON.parse(readFileSync(join(dashboardFolder, name), 'utf8'))]),
  );

/** Lists the expressions of all rules and dashboards, each with the place that contains it. */
export const expressions = (): readonly { readonly place: string; readonly expr: string }[] => [
  ...rules().map(({ alert, expr }) => ({ place: alert, expr })),
  ...[...dashboards()].flatMap(([file, { panels }]) =>
    panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ place: `${file}: ${title}`, expr }))),
  ),
];

/** Lists the names of the service's metrics in an expression. `up` and `ALERTS` belong to Prometheus itself. */
export const metricsIn = (expr: string): readonly string[] =>
  expr.match(/\b(?:chainfold|nodejs|process)_[a-z0-9_]+/g) ?? [];
