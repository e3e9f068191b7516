import { fail } from '../../../domain/failure.js';
import type { Done, Operation } from '../../commands/handle.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import { createLookupBudget } from '../lookup-budget.js';
import { createTokenEntries, type SessionOwner } from './session-entries.js';
import type { Sessions } from './sessions.js';

/** Lifetime of a sign-in link of `chainfold console`, in seconds. */
export const linkSeconds = 60;

export type ConsoleLinks = {
  /** Creates the token of a link that opens one session of an operator in an organization. */
  create(by: Operation, organizationId: string): Promise<string>;
  /** Opens the session of a link. Each token can be used once, whichever process receives it. */
  redeem(requestId: string, token: string): ReturnType<Sessions['open']>;
  /** Removes expired and used links. */
  sweep(): Promise<void>;
};

type Link = SessionOwner & { readonly expiresAt: number; readonly isUsed?: true };

export const createConsoleLinks = (ports: {
  readonly state: StateStore;
  readonly sessions: Pick<Sessions, 'open'>;
  readonly system: System;
}): ConsoleLinks => {
  const { sessions, system } = ports;
  const entries = createTokenEntries<Link>(ports, 'console-link');
  const budget = createLookupBudget(system);
  const isOver = ({ expiresAt, isUsed }: Link) => isUsed === true || system.now() >= expiresAt;

  /** Marks a link as used and returns its owner; null if the link is unknown, expired or already used. */
  const take = async (token: string): Promise<SessionOwner | null> => {
    const refund = budget.charge(token);
    const found = await entries.read(entries.idOf(token));
    if (found) refund();
    if (!found || isOver(found.value)) return null;
    const isTaken = await entries.write(found.id, { ...found.value, isUsed: true }, found.revision);
    if (!isTaken) return null;
    await entries.remove(found.id);
    const { organizationId, actor } = found.value;
    return { organizationId, actor };
  };

  return {
    create: async ({ actor }, organizationId) => {
      const token = system.secret();
      const expiresAt = system.now() + linkSeconds * 1000;
      await entries.write(entries.idOf(token), { organizationId, actor, expiresAt });
      return token;
    },
    redeem: async (requestId, token): Promise<Done<{ token: string; expireTime: string }>> => {
      const owner = await take(token);
      return owner
        ? sessions.open({ actor: owner.actor, requestId }, owner)
        : fail(
            'UNAUTHENTICATED',
            `The link is unknown, was used, or is older than ${linkSeconds} s. Run chainfold console again.`,
          );
    },
    sweep: async () => {
      for await (const { id, value } of entries.all()) if (isOver(value)) await entries.remove(id);
    },
  };
};
