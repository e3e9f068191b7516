import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { RebuildableReadModels } from '../../../application/ports/generations.js';
import type { Log } from '../../../application/ports/system.js';
import { StoreDown } from '../../../domain/failure.js';
import type { AnyCollection } from '../../../projections/define.js';
import { defaultMemoryBudget, type StorePages } from '../../settings/memory-budget.js';
import { isDamage, setAside } from '../damage.js';
import { sqliteReadModels } from './read-models.js';

type ReadModelFile = {
  readonly path: string;
  readonly collections: readonly AnyCollection[];
  readonly pages: StorePages;
};
type Opened = { readonly models: RebuildableReadModels; readonly file: number | undefined };

/** Interval in ms at which the path is checked for a new file that another process has created. */
const pollIntervalMs = 1000;
const reopenRetryMs = 1000;

/**
 * Returns the first revision of a new file. The time in ms exceeds every revision of the replaced file, so a projector
 * detects from the revision that the file is new.
 */
const newRevision = Date.now;

const fileAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino;

/**
 * Creates functions that open a file and set a damaged file aside, because its content can be rebuilt from the events.
 */
const createOpening = ({ path, collections, pages }: ReadModelFile, log: Log) => {
  const open = async (firstRevision: number): Promise<Opened> => {
    const models = await sqliteReadModels(path, collections, { firstRevision, pages });
    return { models, file: fileAt(path) };
  };
  const setDamagedAside = (error: unknown) =>
    log.error({ err: error, aside: setAside(path) }, 'Read models damaged; rebuilding');
  return {
    setDamagedAside,
    openIntact: (firstRevision: number) =>
      open(firstRevision).catch((error: unknown) => {
        if (!isDamage(error)) throw error;
        setDamagedAside(error);
        return open(newRevision());
      }),
  };
};

/**
 * Creates a recovery, which replaces damaged read models with new ones. It retries until the replacement succeeds or
 * the store is closed.
 */
const createRecovery = (from: ReadModelFile, log: Log) => {
  const { path } = from;
  const { openIntact, setDamagedAside } = createOpening(from, log);
  const listeners: (() => void)[] = [];
  let opened: Opened | null = null;
  let recovering: Promise<void> | null = null;
  let isClosed = false;

  const moveAside = ({ file }: Opened, damage: unknown) => {
    if (fileAt(path) === file) setDamagedAside(damage);
    else log.warn({}, 'Another process replaced the damaged read models; reopening');
    for (const listener of listeners) listener();
  };
  const recover = async (old: Opened, damage: unknown) => {
    // The old file is closed before the listeners are notified of the loss.
    await old.models.close().catch(() => undefined);
    let isAside = false;
    while (!opened && !isClosed)
      try {
        if (!isAside) moveAside(old, damage);
        isAside = true;
        opened = await openIntact(newRevision());
      } catch (error) {
        log.error({ err: error }, 'Damaged read models could not be replaced; retrying');
        await pause(reopenRetryMs);
      }
    recovering = null;
  };
  const replace = (old: Opened, damage?: unknown) => {
    if (opened !== old || isClosed) return;
    opened = null;
    recovering = recover(old, damage);
  };
  const checkFile = () => {
    const file = fileAt(path);
    if (opened && file !== undefined && file !== opened.file) replace(opened);
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    open: async () => {
      opened = await openIntact(0);
      timer = setInterval(checkFile, pollIntervalMs).unref();
    },
    opened: () => opened,
    replace,
    onLost: (listener: () => void) => void listeners.push(listener),
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await recovering;
      await opened?.models.close();
    },
  };
};

/**
 * Read models in a file that recover from damage. A damaged file is set aside, at the start or while the service runs.
 * The projector then fills a new file from the events.
 */
export const selfHealingReadModels = async (
  path: string,
  collections: readonly AnyCollection[],
  log: Log,
  pages: StorePages = defaultMemoryBudget.documentPages,
): Promise<RebuildableReadModels> => {
  const recovery = createRecovery({ path, collections, pages }, log);
  await recovery.open();
  const damagedError = () => new StoreDown('Read models were damaged and are being rebuilt. Retry later.');

  const use = <T>(work: (models: RebuildableReadModels) => Promise<T>): Promise<T> => {
    const opened = recovery.opened();
    if (!opened) return Promise.reject(damagedError());
    return work(opened.models).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      recovery.replace(opened, error);
      throw damagedError();
    });
  };
  return {
    get: (...given) => use((models) => models.get(...given)),
    getMany: (...given) => use((models) => models.getMany(...given)),
    page: (...given) => use((models) => models.page(...given)),
    scan: (...given) => use((models) => models.scan(...given)),
    checkpoint: () => use((models) => models.checkpoint()),
    commit: (...given) => use((models) => models.commit(...given)),
    generations: {
      listGenerations: () => use(({ generations }) => generations.listGenerations()),
      begin: (given) => use(({ generations }) => generations.begin(given)),
      built: {
        getMany: (...given) => use(({ generations }) => generations.built.getMany(...given)),
        scan: (...given) => use(({ generations }) => generations.built.scan(...given)),
      },
      build: (...given) => use(({ generations }) => generations.build(...given)),
      makeReady: (given) => use(({ generations }) => generations.makeReady(given)),
      swap: (...given) => use(({ generations }) => generations.swap(...given)),
      hold: (ms) => use(({ generations }) => generations.hold(ms)),
      abandon: (given) => use(({ generations }) => generations.abandon(given)),
      removeRetired: () => use(({ generations }) => generations.removeRetired()),
    },
    onLost: recovery.onLost,
    close: recovery.close,
  };
};
