import type { Document } from 'bson';
import { commandError, noSuchTransaction } from './errors.js';
import { createTransactions, type Unit } from './transactions.js';

/** Latest numbered action of a session: a transaction, or a retryable write with its remembered answer. */
type Latest =
  | { readonly number: number; readonly state: 'open'; readonly unit: Unit }
  | { readonly number: number; readonly state: 'committed' | 'aborted' }
  | { readonly number: number; readonly state: 'answered'; readonly reply: Document };

/**
 * Default time limit of a transaction on the server. The server aborts longer transactions, because their clients may
 * be dead.
 */
const transactionLifetimeMs = 60_000;

export type Sessions = ReturnType<typeof createSessions>;

export const createSessions = ({ standalone }: { readonly standalone: boolean }) => {
  const transactions = createTransactions();
  const sessions = new Map<string, Latest>();
  const idOf = (lsid: Document): string => lsid.id.toString('hex');
  const latestOf = ({ lsid, txnNumber }: Document): Latest | undefined => {
    const latest = lsid && sessions.get(idOf(lsid));
    return latest?.number === txnNumber ? latest : undefined;
  };
  const isNumbered = (command: Document) => command.lsid !== undefined && command.txnNumber !== undefined;

  const assertNumbersAllowed = (command: Document) => {
    if (standalone && command.txnNumber !== undefined)
      throw commandError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  };

  const abortIn = (id: string) => {
    const latest = sessions.get(id);
    if (latest?.state !== 'open') return;
    transactions.abort(latest.unit);
    sessions.set(id, { number: latest.number, state: 'aborted' });
  };

  const start = ({ lsid, txnNumber }: Document): Unit => {
    const id = idOf(lsid);
    const previous = sessions.get(id);
    if (previous && previous.number >= txnNumber)
      throw commandError(225, `Cannot start transaction ${txnNumber}: a newer transaction ${previous.number} exists.`);
    abortIn(id);
    const unit = transactions.begin(true);
    sessions.set(id, { number: txnNumber, state: 'open', unit });
    const expire = () => {
      const latest = sessions.get(id);
      if (latest?.state === 'open' && latest.unit === unit) abortIn(id);
    };
    setTimeout(expire, transactionLifetimeMs).unref();
    return unit;
  };

  return {
    /** Returns the unit of a command: the unit of its transaction, or a new unit. */
    unitFor: (command: Document): Unit => {
      assertNumbersAllowed(command);
      if (command.autocommit !== false) return transactions.begin(false);
      if (command.startTransaction === true) return start(command);
      const latest = latestOf(command);
      if (latest?.state !== 'open') throw noSuchTransaction(command.txnNumber);
      return latest.unit;
    },
    /**
     * Ends a command. Commits the unit of a command outside transactions; leaves a transaction open, or aborts it if a
     * write was rejected.
     */
    settle: (command: Document, unit: Unit, reply: Document) => {
      if (command.autocommit === false) {
        if (reply.writeErrors) abortIn(idOf(command.lsid));
        return;
      }
      transactions.commit(unit);
      if (isNumbered(command))
        sessions.set(idOf(command.lsid), { number: command.txnNumber, state: 'answered', reply });
    },
    /** Aborts the transaction that the command belongs to, if any. */
    fail: (command: Document) => {
      if (command.autocommit === false && latestOf(command)) abortIn(idOf(command.lsid));
    },
    /**
     * Returns the remembered answer if the driver repeats a write under the same number, because a write must not run
     * twice; undefined for other commands.
     */
    rememberedReply: (command: Document): Document | undefined => {
      if (command.autocommit === false || !isNumbered(command)) return undefined;
      const latest = latestOf(command);
      return latest?.state === 'answered' ? latest.reply : undefined;
    },
    commit: (command: Document) => {
      assertNumbersAllowed(command);
      const latest = latestOf(command);
      if (latest?.state === 'committed') return;
      if (latest?.state !== 'open') throw noSuchTransaction(command.txnNumber);
      transactions.commit(latest.unit);
      sessions.set(idOf(command.lsid), { number: latest.number, state: 'committed' });
    },
    abort: (command: Document) => {
      assertNumbersAllowed(command);
      const latest = latestOf(command);
      if (latest?.state === 'committed') throw commandError(256, 'Transaction has been committed.');
      if (latest?.state !== 'open') throw noSuchTransaction(command.txnNumber);
      abortIn(idOf(command.lsid));
    },
    /** Aborts the transactions of sessions; their clients may continue to use the sessions. */
    kill: (lsids: readonly Document[]) => {
      for (const id of lsids.map(idOf)) abortIn(id);
    },
    end: (lsids: readonly Document[]) => {
      for (const id of lsids.map(idOf)) {
        abortIn(id);
        sessions.delete(id);
      }
    },
    /**
     * Aborts open transactions, as a restart does. The numbers of committed transactions are kept, as on a server's
     * disk.
     */
    abortAll: () => {
      for (const id of sessions.keys()) abortIn(id);
    },
  };
};
