import type { Engine, Home } from '../support/engines/engines.js';
import { type Service, startService } from '../support/service/service.js';

export const roles = ['api', 'projector', 'follower', 'deliverer'] as const;
export type Role = (typeof roles)[number];

/** Starts a process. Retries like a supervisor, because a slow store can make the process exit while it starts. */
const startWith = async (on: Engine | Home, role: string, env: Record<string, string>, tries = 5): Promise<Service> => {
  try {
    return await startService({ on, role, env });
  } catch (error) {
    if (tries === 1) throw error;
    return startWith(on, role, env, tries - 1);
  }
};

/** Starts each role in a process of its own on the same stores. Each process can be killed and started again. */
export const startProcesses = async (engine: Engine, env: Record<string, string>) => {
  // All roles run together first, because the demo organization is created only then.
  const whole = await startWith(engine, roles.join(','), env);
  await whole.stop();
  const { home } = whole;
  const running = new Map<Role, Service>();
  const lives = new Map<Role, number>();
  const start = async (role: Role) => {
    running.set(role, await startWith(home, role, env));
    lives.set(role, (lives.get(role) ?? 0) + 1);
  };
  await Promise.all(roles.map(start));
  return {
    home,
    /** Returns the URL of the API process; null while no API process is running. */
    api: () => running.get('api')?.url ?? null,
    /** Returns the number of starts of a role; null while the role is not running. */
    life: (role: Role) => (running.has(role) ? (lives.get(role) ?? 0) : null),
    kill: async (role: Role) => {
      const service = running.get(role);
      running.delete(role);
      await service?.kill();
    },
    start,
    outputs: () => [...running].map(([role, service]) => `${role}: ${service.output()}`),
    stop: async () => {
      const all = [...running.values()];
      running.clear();
      return Promise.all(all.map((service) => service.stop()));
    },
  };
};
