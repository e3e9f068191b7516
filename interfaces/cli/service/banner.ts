import type { App } from '../../../application/app.js';
import { chains, type Variant, variants } from '../../../domain/variant.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import type { Settings } from '../command/command.js';

const storeLines = ({ dataDirectory, eventStoreUrl, mongodbUrl, redisUrl }: Settings) => {
  const engines = [eventStoreUrl && 'EventStoreDB', mongodbUrl && 'MongoDB', redisUrl && 'Redis'].filter(Boolean);
  const embedded = engines.length < 3 ? [`${engines.length > 0 ? 'others ' : ''}embedded in ${dataDirectory}`] : [];
  return `stores    ${[...engines, ...embedded].join(', ')}`;
};

const chainLines = (app: App) => {
  const followed = app.followers.map(({ variant }) => variant);
  return `chains    ${followed.length > 0 ? `following ${followed.join(', ')}` : 'none followed'}`;
};

/**
 * Lists the APIs that have neither a node nor a development chain on this machine, with the setting that adds a node.
 */
const lackLines = (app: App, { production, chains: given }: Settings) => {
  const isReached = ({ tag, segment, surface }: Variant) =>
    surface === 'query' ? app.nodes.has(`${segment}/mainnet`) : app.followers.some(({ variant }) => variant === tag);
  const isUnset = ({ tag }: Variant) => given.some((one) => one.tag === tag && one.urls === 'unset');
  const lacking = production ? [] : chains.filter((variant) => isUnset(variant) && !isReached(variant));
  const [first] = lacking.filter(({ can }) => can.includes('gateway'));
  if (!first) return [];
  const apis = lacking.map(({ tag }) => tag).join(', ');
  return [
    `          no development chain for ${apis} on ${process.platform} ${process.arch}: start a node, then restart with CHAIN_${first.tag}_URL=http://127.0.0.1:8545`,
  ];
};

/** Suggests commands for the chains that are running; `dev transfer` only if a development chain has a faucet. */
const suggestions = (app: App) => {
  const wallets = variants.filter(({ surface }) => surface === 'wallet');
  const paid = wallets.find(({ segment }) => app.nodes.get(`${segment}/mainnet`)?.isDevelopment);
  const followed = wallets.find(({ tag }) => app.followers.some(({ variant }) => variant === tag));
  const { segment, addressExample: address } = (paid ?? followed ?? wallets[0]) as Variant;
  return [
    `call ${segment} RegisterWallet '{"name":"treasury","address":"${address}"}'`,
    `call ${segment} ListWallets`,
    ...(paid ? [`dev transfer ${address} 1000000000000000000`] : []),
    `call ${segment} ListTransfers '{"address":"${address}"}'`,
  ];
};

const tour = (app: App, url: string, { key, secret }: Credentials) => `
demo organization (credentials are also stored in the data directory):
  api_key     ${key}
  api_secret  ${secret}
try, in another terminal:
${suggestions(app)
  .map((command) => `  npx chainfold ${command} --url ${url}`)
  .join('\n')}`;

type Started = { readonly url: string | null; readonly demo: Credentials | null; readonly isFollowing: boolean };

/** Returns the text that is printed once the service is ready. */
export const bannerOf = (app: App, settings: Settings, { url, demo, isFollowing }: Started) =>
  [
    `chainfold is ready${url ? ` at ${url} (${url}/docs)` : ''}`,
    storeLines(settings),
    chainLines(app),
    ...(isFollowing ? lackLines(app, settings) : []),
    url && demo ? tour(app, url, demo) : '',
  ].join('\n');
