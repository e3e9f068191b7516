import type { DevelopmentAddresses } from '../../../application/ports/chains.js';
import type { Log } from '../../../application/ports/system.js';
import type { Family } from '../../../domain/variant.js';
import { type Connector, families } from '../families.js';
import { remoteControls, serveControls } from './remote-controls.js';

type Development = NonNullable<Awaited<ReturnType<Connector['startDevelopment']>>>;
/** Running development chains by family. */
export type Developments = ReadonlyMap<Family, Development>;

/**
 * Starts the development chains of the given families. Chains that cannot run on this machine are left out.
 */
export const startDevelopments = async (
  wanted: ReadonlySet<Family>,
  options: { readonly blockMs: number; readonly log: Log },
): Promise<Developments> => {
  const started = new Map<Family, Development>();
  for (const family of wanted) {
    const development = await families[family].startDevelopment(options);
    if (development) started.set(family, development);
  }
  return started;
};

/**
 * Returns the development chains that run in another process. These chains keep running when this process ends.
 */
export const attachDevelopments = (addresses: DevelopmentAddresses): Developments =>
  new Map(
    addresses.map(({ family, urls, controls }) => [
      family,
      {
        urls,
        ...(controls && { controls: remoteControls(controls.url, controls.hasTokens) }),
        close: async () => undefined,
      },
    ]),
  );

/** Lets other processes on this machine use the development chains, until the returned `close` is called. */
export const shareDevelopments = async (developments: Developments) => {
  const served: (() => Promise<void>)[] = [];
  const addresses = [];
  for (const [family, { urls, controls }] of developments) {
    const shared = controls && (await serveControls(controls));
    if (shared) served.push(shared.close);
    addresses.push({ family, urls, ...(shared && { controls: { url: shared.url, hasTokens: shared.hasTokens } }) });
  }
  return {
    addresses: addresses satisfies DevelopmentAddresses,
    close: async () => void (await Promise.all(served.map((close) => close()))),
  };
};
