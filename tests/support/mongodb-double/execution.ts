import { type Document, Long, Timestamp } from 'bson';
import { createCatalog } from './collections.js';
import { allowedInTransaction, sessionCommands, statements } from './commands.js';
import { type Identity, nameOf } from './context.js';
import { createCursors } from './cursors.js';
import { commandError, errorFields, labelsFor, waitOf } from './errors.js';
import type { Failure } from './failures.js';
import { createSessions } from './sessions.js';

const assertKnown = (name: string, command: Document) => {
  if (!statements.has(name) && !sessionCommands.has(name)) throw commandError(59, `no such command: '${name}'`);
  if (command.autocommit === false && !allowedInTransaction.has(name) && !sessionCommands.has(name))
    throw commandError(263, `Cannot run '${name}' in a multi-document transaction.`);
};

export const createExecution = (identity: Identity) => {
  const catalog = createCatalog();
  const cursors = createCursors();
  const sessions = createSessions(identity);
  let ticks = 0;

  /**
   * Returns the operation time and the cluster time, which the driver passes on for causally consistent reads. A
   * standalone server has none.
   */
  const times = () => {
    if (identity.standalone) return {};
    ticks += 1;
    const clusterTime = new Timestamp({ t: 1, i: ticks });
    return {
      operationTime: clusterTime,
      $clusterTime: { clusterTime, signature: { hash: Buffer.alloc(20), keyId: Long.ZERO } },
    };
  };

  /** Tries a command once. Returns its answer, or a promise to await before the next attempt. */
  const attempt = (command: Document): { reply: Document } | { wait: Promise<void> } => {
    const unit = sessions.unitFor(command);
    try {
      const reply = statements.get(nameOf(command))?.({ command, unit, catalog, cursors, identity }) ?? {};
      sessions.settle(command, unit, reply);
      return { reply };
    } catch (error) {
      const wait = waitOf(error);
      if (wait === undefined) throw error;
      return { wait };
    }
  };

  const statement = async (command: Document, isWaiting: () => boolean): Promise<Document> => {
    const remembered = sessions.rememberedReply(command);
    if (remembered) return remembered;
    let outcome = attempt(command);
    while ('wait' in outcome) {
      await outcome.wait;
      // The write of a client that has disconnected is not attempted again.
      if (!isWaiting()) return {};
      outcome = attempt(command);
    }
    return outcome.reply;
  };

  const answer = async (command: Document, isWaiting: () => boolean): Promise<Document> => {
    const name = nameOf(command);
    assertKnown(name, command);
    const sessionCommand = sessionCommands.get(name);
    if (!sessionCommand) return statement(command, isWaiting);
    sessionCommand(command, sessions);
    return {};
  };

  /** Returns the answer for an error. Aborts the command's transaction, except for an error of a commit or an abort. */
  const errorReply = (command: Document, error: unknown, label?: string): Document => {
    if (!sessionCommands.has(nameOf(command))) sessions.fail(command);
    const fields = errorFields(error);
    const errorLabels = label === undefined ? labelsFor(command, fields.code) : [label];
    return { ok: 0, ...fields, ...(errorLabels.length > 0 && { errorLabels }), ...times() };
  };

  const injected = (command: Document, { code, label }: Failure): Document =>
    errorReply(command, commandError(code, `Failing ${nameOf(command)} as the test asked`), label);

  return {
    /**
     * Runs the command and returns the answer for the wire. Waits only while an open transaction holds a document that
     * the command writes.
     */
    run: async (command: Document, failure: Failure | undefined, isWaiting: () => boolean): Promise<Document> => {
      if (failure?.when === 'before') return injected(command, failure);
      try {
        const reply = await answer(command, isWaiting);
        return failure ? injected(command, failure) : { ...reply, ok: 1, ...times() };
      } catch (error) {
        return errorReply(command, error);
      }
    },
    /** Drops the state that a real server keeps only in memory and loses when it restarts. */
    forgetVolatile: () => {
      sessions.abortAll();
      cursors.clear();
    },
  };
};
