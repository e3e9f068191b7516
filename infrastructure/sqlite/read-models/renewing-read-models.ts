import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { RebuildableReadModels } from '../../../application/ports/generations.js';
import type { Log } from '../../../application/ports/system.js';
import { StoreDown } from '../../../domain/failure.js';
import type { AnyCollection } from '../../../projections/define.js';
import { isDamage, setAside } from '../damage.js';
import { sqliteReadModels } from './read-models.js';

type Opened = { readonly models: RebuildableReadModels; readonly file: number | undefined };

/** Time between looks at whether another process has put a new file in the place of the opened one. */
const pollIntervalMs = 1000;
const openAgainMs = 1000;

/** The clock is beyond every revision of an old file, so that no projector takes the new file for the old one. */
const revisionOfNew = Date.now;

const fileAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino;

/** Opens a file, and sets damaged ones aside: everything in them can be built from the events again. */
const createOpening = (path: string, collections: readonly AnyCollection[], log: Log) => {
  const open = async (firstRevision: number): Promise<Opened> => {
    const models = await sqliteReadModels(path, collections, 'write', firstRevision);
    return { models, file: fileAt(path) };
  };
  const removeDamaged = (error: unknown) =>
    log.error({ err: error, aside: setAside(path) }, 'the read models are damaged; they are built anew');
  return {
    removeDamaged,
    openWhole: (firstRevision: number) =>
      open(firstRevision).catch((error: unknown) => {
        if (!isDamage(error)) throw error;
        removeDamaged(error);
        return open(revisionOfNew());
      }),
  };
};

/** Puts new read models in the place of damaged ones, and tries until that works or the store is closed. */
const createRenewal = (path: string, collections: readonly AnyCollection[], log: Log) => {
  const { openWhole, removeDamaged } = createOpening(path, collections, log);
  const listeners: (() => void)[] = [];
  let opened: Opened | null = null;
  let renewing: Promise<void> | null = null;
  let isClosed = false;

  const openInPlaceOf = async ({ file }: Opened, damage: unknown) => {
    if (fileAt(path) === file) removeDamaged(damage);
    else log.warn({}, 'another process has put new read models in the place of damaged ones');
    for (const listener of listeners) listener();
    opened = await openWhole(revisionOfNew());
  };
  const renew = async (old: Opened, damage: unknown) => {
    // Readers get all that was read before, because the listeners hear of the loss only afterwards.
    await old.models.close().catch(() => undefined);
    while (!opened && !isClosed)
      await openInPlaceOf(old, damage).catch(async (error: unknown) => {
        log.error({ err: error }, 'damaged read models cannot be replaced; this is tried again');
        await pause(openAgainMs);
      });
    renewing = null;
  };
  const replace = (old: Opened, damage?: unknown) => {
    if (opened !== old || isClosed) return;
    opened = null;
    renewing = renew(old, damage);
  };
  const look = () => {
    const file = fileAt(path);
    if (opened && file !== undefined && file !== opened.file) replace(opened);
  };
  let looking: NodeJS.Timeout | undefined;

  return {
    open: async () => {
      opened = await openWhole(0);
      looking = setInterval(look, pollIntervalMs).unref();
    },
    opened: () => opened,
    replace,
    onLost: (listener: () => void) => void listeners.push(listener),
    close: async () => {
      isClosed = true;
      clearInterval(looking);
      await renewing;
      await opened?.models.close();
    },
  };
};

/**
 * Read models in a file that survive damage to it: while the service runs or at its start, a damaged file is set aside
 * and a new one begun, which the projector fills from the events.
 */
export const renewingReadModels = async (
  path: string,
  collections: readonly AnyCollection[],
  log: Log,
): Promise<RebuildableReadModels> => {
  const renewal = createRenewal(path, collections, log);
  await renewal.open();
  const refused = () => new StoreDown('the read models were damaged and are being built anew');

  const use = <T>(work: (models: RebuildableReadModels) => Promise<T>): Promise<T> => {
    const opened = renewal.opened();
    if (!opened) return Promise.reject(refused());
    return work(opened.models).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      renewal.replace(opened, error);
      throw refused();
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
      all: () => use(({ generations }) => generations.all()),
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
    onLost: renewal.onLost,
    close: renewal.close,
  };
};
