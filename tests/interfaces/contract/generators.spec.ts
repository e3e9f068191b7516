import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { openApi } from '../../../interfaces/contract/openapi.js';
import { describeInFull } from '../../support/run/tier.js';

const run = promisify(execFile);
const tool = (name: string) => resolve('node_modules/.bin', name);
const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
};

/** Returns code that uses the generated request type of GetWallet, which requires `wallet_id` or `address`. */
const usesOf = (request: string) => `
export const byId: ${request} = { wallet_id: 'wal_1' };
export const byAddress: ${request} = { address: '0x3535353535353535353535353535353535353535' };
export const byBoth: ${request} = { wallet_id: 'wal_1', address: '0x3535353535353535353535353535353535353535' };
// @ts-expect-error wallet_id or address is required
export const byNothing: ${request} = {};
`;

describeInFull('clients generated from the OpenAPI document', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'generated-'));
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApi('1.0.0')));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const generate = (generator: string, ...options: string[]) =>
    run(process.execPath, [tool(generator), ...options], { cwd: folder });
  const compile = async (source: string) => {
    writeFileSync(join(folder, 'use.ts'), source);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const failed = (error: { stdout?: string }) => error.stdout ?? String(error);
    assert.equal(await run(process.execPath, [tool('tsc'), '-p', folder]).then(({ stdout }) => stdout, failed), '');
  };

  it('by openapi-typescript compile strictly and require wallet_id or address in GetWallet', async () => {
    await generate('openapi-typescript', 'openapi.json', '--output', 'api.d.ts');
    await compile(`
import type { components, paths } from './api';
type Post = paths['/v1/c/GetWallet']['post'];
${usesOf("Post['requestBody']['content']['application/json']")}
type Wallet = Post['responses'][200]['content']['application/json']['wallet'];
export const confirmationOf = ({ confirmation }: Wallet): number => confirmation;
export const same = (wallet: Wallet): components['schemas']['CWallet'] => wallet;
`);
  });

  it('by hey-api compile strictly and require wallet_id or address in GetWallet', async () => {
    const plugins = ['@hey-api/typescript', '@hey-api/client-fetch', '@hey-api/sdk'];
    await generate('openapi-ts', '--input', 'openapi.json', '--output', 'client', '--silent', '--plugins', ...plugins);
    await compile(`
import { cGetWallet } from './client/sdk.gen';
import type { CTransferNotification, CWallet, GetWalletRequest } from './client/types.gen';
${usesOf('GetWalletRequest')}
export const confirmationOf = async (): Promise<number | undefined> => {
  const { data } = await cGetWallet({ body: { wallet_id: 'wal_1' } });
  const wallet: CWallet | undefined = data?.wallet;
  return wallet?.confirmation;
};
export const amountOf = ({ data }: CTransferNotification): string => data.transfer.value;
`);
  });
});
