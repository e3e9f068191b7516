import { useEffect } from 'preact/hooks';
import { useRefresh } from '../parts/use-loaded.js';
import { health, readHealth } from '../session/health.js';

const intervalMs = 10_000;
const refresh = () => void readHealth();
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const toneOf = (status: string, hasAlarm: boolean) => {
  if (status !== 'ready') return 'bad';
  return hasAlarm ? 'warn' : 'good';
};

/** Readiness of the service, read every 10 s while the tab is visible. */
export const StatusLine = () => {
  useEffect(refresh, []);
  useRefresh(refresh, intervalMs);
  const { status, reasons = [], chains = [], seenAt } = health.value ?? { status: 'checking', seenAt: 0 };
  const alarms = chains.filter(({ alarm }) => alarm).map(({ chain }) => `chain ${chain} needs attention`);
  const details = [...reasons, ...alarms].join('; ');
  return (
    <p class="status-line" role="status">
      <span class={`dot ${toneOf(status, alarms.length > 0)}`} aria-hidden="true" />
      Service {status}
      {details && `: ${details}`}
      {seenAt > 0 && <span class="quiet"> · {clock.format(seenAt)}</span>}
    </p>
  );
};
