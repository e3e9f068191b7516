import { signal } from '@preact/signals';

export type ChainHealth = {
  readonly chain: string;
  readonly height: number | null;
  readonly head: number | null;
  readonly head_age_seconds: number;
  readonly alarm: boolean;
};
type Health = {
  readonly status: string;
  readonly reasons?: readonly string[];
  readonly chains?: readonly ChainHealth[];
  readonly seenAt: number;
};

/** Last response of `/health/ready`, which needs no credential; null before the first response. */
export const health = signal<Health | null>(null);

export const readHealth = async (): Promise<void> => {
  const answer = await fetch('/health/ready')
    .then((response) => response.json() as Promise<Omit<Health, 'seenAt'>>)
    .catch(() => ({ status: 'unreachable', reasons: ['The service does not answer'] }));
  health.value = { ...answer, seenAt: Date.now() };
};
