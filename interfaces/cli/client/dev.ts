import { fail } from '../../../domain/failure.js';
import { chains, type Family } from '../../../domain/variant.js';
import { UsageError } from '../../usage-error.js';
import { oneOf, wholeNumber } from '../command/arguments.js';
import type { Command, Invocation, Option } from '../command/command.js';
import { demoCredentials } from '../service/demo.js';
import { callOrExplain, urlFor, urlOption } from './call.js';

type Reply = { readonly result?: object; readonly error?: { readonly code: number; readonly message: string } };

const invalidParams = -32_602;
const options: Readonly<Record<string, Option>> = {
  url: urlOption,
  key: { type: 'string', value: 'KEY', summary: 'The api_key; CHAINFOLD_API_KEY or the demo key by default.' },
};

/** Types of test tokens that can be deployed on the development chain of each family. */
const deployable: Readonly<Record<Family, readonly string[]>> = {
  evm: ['ERC-20', 'ERC-721', 'ERC-1155'],
  sui: [],
  ton: ['JETTON'],
};
const segments = chains.map(({ segment }) => segment).toSorted((a, b) => a.localeCompare(b));
const withTokens = chains
  .filter(({ family, can }) => deployable[family].length > 0 && can.some((one) => /^token-/.test(one)))
  .toSorted((a, b) => a.segment.localeCompare(b.segment));

const keyFor = ({ options, environment, settings }: Invocation) =>
  options.key ??
  environment.CHAINFOLD_API_KEY ??
  demoCredentials(settings)?.key ??
  (() => {
    throw new UsageError('No api_key. Pass --key, or set CHAINFOLD_API_KEY.');
  })();

const textOf = (result: object) =>
  Object.entries(result)
    .filter(([, value]) => typeof value !== 'object')
    .map(([name, value]) => `${name.padEnd(18)} ${value}`)
    .join('\n');

/** Calls a `dev_` method of the development chains through the gateway, and prints its result. */
const control = async (invocation: Invocation, method: string, params: readonly unknown[]) => {
  const url = urlFor(invocation);
  const [first] = chains.filter(({ can }) => can.includes('gateway'));
  const address = new URL(`/${first?.segment}/mainnet/v1/${keyFor(invocation)}`, url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = await callOrExplain(url, async () => {
    const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return (await response.json()) as Reply;
  });
  if (error) fail(error.code === invalidParams ? 'INVALID_ARGUMENT' : 'FAILED_PRECONDITION', error.message);
  invocation.print(result ?? {}, textOf(result ?? {}));
};

const variantIn = ({ options: { variant = 'c' } }: Invocation) => oneOf('--variant', variant.toLowerCase(), segments);

const count = (value: string | undefined, name: string) => (value === undefined ? [] : [wholeNumber(name, value, 9)]);

export const devMine: Command = {
  words: 'dev mine',
  summary: 'Mine blocks on the development chain.',
  parameters: ['[blocks]'],
  options,
  run: (invocation) => control(invocation, 'dev_mine', count(invocation.parameters[0], 'blocks')),
};

export const devReorg: Command = {
  words: 'dev reorg',
  summary: 'Replace the newest blocks of the development chain with the same number of other blocks.',
  parameters: ['<depth>'],
  options: { ...options, drop: { type: 'boolean', summary: 'Do not mine their transactions again.' } },
  run: (invocation) =>
    control(invocation, 'dev_reorg', [
      ...count(invocation.parameters[0], 'depth'),
      ...(invocation.options.drop ? ['drop'] : []),
    ]),
};

export const devTransfer: Command = {
  words: 'dev transfer',
  summary: 'Send coins or tokens from the faucet of a development chain.',
  parameters: ['<to>', '<value>'],
  options: {
    ...options,
    variant: { type: 'string', value: segments.join('|'), summary: 'Chain; c by default.' },
    token: {
      type: 'string',
      value: 'TOKEN',
      summary: 'Contract from `dev deploy-token`, or a coin type on s.',
    },
  },
  run: (invocation) => {
    const [to, value] = invocation.parameters;
    const { token } = invocation.options;
    const variant = variantIn(invocation);
    return control(invocation, 'dev_transfer', [{ variant, to, value, ...(token !== undefined && { token }) }]);
  },
};

export const devDeployToken: Command = {
  words: 'dev deploy-token',
  summary: `Deploy a test token with a public mint: ${withTokens
    .map(({ segment, family }) => `on ${segment} ${deployable[family].join(', ')}`)
    .join('; ')}.`,
  parameters: ['<type>'],
  options: {
    ...options,
    variant: {
      type: 'string',
      value: withTokens.map(({ segment }) => segment).join('|'),
      summary: 'Chain; c by default.',
    },
  },
  run: (invocation) => {
    const [type] = invocation.parameters;
    return control(invocation, 'dev_deployToken', [{ type, variant: variantIn(invocation) }]);
  },
};
