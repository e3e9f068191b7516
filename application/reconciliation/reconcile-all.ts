import { Failure } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import { type WalletDocument, wallets } from '../../projections/wallets.js';
import type { Context } from '../commands/handle.js';
import type { DocumentKey, Found, ReadModels } from '../ports/read-models.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Reconciliation } from './reconcile-wallet.js';

type Ports = {
  readonly readModels: ReadModels;
  readonly state: StateStore;
  readonly reconciliation: Reconciliation;
  /** Seconds between the starts of two passes over all wallets; 0 turns reconciliation off. */
  readonly reconcileSeconds: number;
  readonly system: System;
};

/** Progress of a pass; `after` is the last compared wallet, and null once every wallet was compared. */
type Pass = { readonly startedAt: number; readonly after: DocumentKey | null };

/** Pause in milliseconds after each compared part of a wallet, so that the nodes have time for other work. */
const partPauseMs = 20;
const maxIdleMs = 60_000;
const walletsPerSave = 100;
/**
 * Number of consecutive wallets that fail before the pass is aborted, because the nodes or the stores are probably
 * down.
 */
const maxFailures = 10;
const firstKey: DocumentKey = { scope: '', id: '' };

/** Creates a store for the progress of the passes, so that a restart continues with the next wallet. */
const createPassStore = (state: StateStore, { tag }: Variant) => {
  const id = `reconcile:${tag}`;
  let revision = noEntry;
  return {
    read: async (): Promise<Pass | null> => {
      const entry = await state.get('processes', id);
      revision = entry?.revision ?? noEntry;
      return entry && (JSON.parse(entry.value) as Pass);
    },
    save: async (pass: Pass) => {
      if (!(await state.put('processes', id, JSON.stringify(pass), revision)))
        throw new Error('Another process is reconciling this chain; continuing from its progress.');
      revision++;
    },
  };
};

/**
 * Creates a process that compares the balances of all wallets of a chain with the nodes, once per interval. The first
 * pass begins one interval after the first start.
 */
export const createReconciler = (ports: Ports, variant: Variant) => {
  const { readModels, reconciliation, reconcileSeconds, system } = ports;
  const store = createPassStore(ports.state, variant);

  const reconcileWallet = async ({ scope, document }: Found<WalletDocument>, signal: AbortSignal) => {
    const organizationId = scope.slice(0, scope.indexOf('/'));
    if (scope !== scopeOf(organizationId, variant.tag) || document.address_count === 0) return;
    const requestId = `reconciliation ${document.wallet_id}`;
    const context: Context = { organizationId, variant, actor: { kind: 'process', id: 'reconciler' }, requestId };
    for await (const { differences } of reconciliation.reconcileParts(context, document.wallet_id)) {
      const fields = { organization: organizationId, wallet: document.wallet_id, count: differences.length };
      if (differences.length > 0) system.log.warn(fields, 'Balances differed from the chain and were corrected');
      await system.sleep(partPauseMs, signal);
      if (signal.aborted) return;
    }
  };

  const createAttempt = () => {
    let failures = 0;
    return async (found: Found<WalletDocument>, signal: AbortSignal) => {
      try {
        await reconcileWallet(found, signal);
        failures = 0;
      } catch (error) {
        if (!(error instanceof Failure) || ++failures >= maxFailures) throw error;
        const fields = { scope: found.scope, wallet: found.document.wallet_id, err: error };
        system.log.warn(fields, 'Wallet could not be reconciled; skipped until the next pass');
      }
    };
  };

  /** Yields the wallets of all owners after a key. */
  const walletsAfter = async function* (key: DocumentKey) {
    let after: DocumentKey | undefined = key;
    while (after) {
      const found: readonly Found<WalletDocument>[] = await readModels.scan(wallets, after);
      yield* found;
      after = found.at(-1);
    }
  };
  const finishPass = async (pass: Pass, signal: AbortSignal) => {
    const attempt = createAttempt();
    let count = 0;
    for await (const found of walletsAfter(pass.after ?? firstKey)) {
      await attempt(found, signal);
      if (signal.aborted) return;
      const after = { scope: found.scope, id: found.id };
      if (++count % walletsPerSave === 0) await store.save({ ...pass, after });
    }
    await store.save({ ...pass, after: null });
  };

  /**
   * Finishes an interrupted pass over all wallets, and runs a new pass if it is due. Returns the milliseconds until the
   * next pass is due, or 0 if a new pass was run.
   */
  const advance = async (signal: AbortSignal): Promise<number> => {
    const last = await store.read();
    if (!last) await store.save({ startedAt: system.now(), after: null });
    if (last?.after) await finishPass(last, signal);
    const dueAt = (last?.startedAt ?? system.now()) + reconcileSeconds * 1000;
    if (system.now() < dueAt) return dueAt - system.now();
    const pass = { startedAt: system.now(), after: firstKey };
    await store.save(pass);
    await finishPass(pass, signal);
    return 0;
  };

  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) await system.sleep(Math.min(maxIdleMs, await advance(signal)), signal);
  };
};
