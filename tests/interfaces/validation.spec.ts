import assert from 'node:assert/strict';
import { Failure } from '../../domain/failure.js';
import { check, createAjv } from '../../interfaces/http/validation.js';
import { endpoints } from '../../interfaces/operations/index.js';

const ajv = createAjv();

const failureOf = (path: string, request: unknown): Failure => {
  const endpoint = endpoints.find((one) => one.path === path) ?? assert.fail(path);
  try {
    check(ajv.compile(endpoint.request), request);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  return assert.fail(`${path} took ${JSON.stringify(request)}`);
};

const address = `0x${'a'.repeat(40)}`;
const parties = { wallet_id: 'w', from: address, to: address };

const invalidRequests: readonly { path: string; request: unknown; says: string }[] = [
  { path: '/v1/c/RegisterWallet', request: [], says: 'The body must be an object, got a list' },
  { path: '/v1/c/RegisterWallet', request: {}, says: '/name is required' },
  {
    path: '/v1/c/RegisterWallet',
    request: { nmae: 'a' },
    says: '/name is required. Unknown field nmae: did you mean name?',
  },
  {
    path: '/v1/c/RegisterWallet',
    request: { name: 'a', nmae: 'b' },
    says: '/nmae is not a field of this operation. Did you mean name?',
  },
  {
    path: '/v1/c/RegisterWallet',
    request: { name: 'a', colour: 'red' },
    says: '/colour is not a field of this operation. Allowed fields: name, address, confirmation',
  },
  {
    path: '/v1/c/ListContracts',
    request: { page_size: 1 },
    says: '/page_size is not a field of this operation. The operation has no fields',
  },
  {
    path: '/v1/c/GetWallet',
    request: { walletId: 'w' },
    says: 'at least one of /wallet_id, /address is required. Unknown field walletId: did you mean wallet_id?',
  },
  { path: '/v1/c/GetWallet', request: {}, says: 'at least one of /wallet_id, /address is required' },
  { path: '/v1/c/RegisterWallet', request: { name: 1 }, says: '/name must be a string, got a number' },
  {
    path: '/v1/c/RegisterWallet',
    request: { name: 'a', confirmation: '1' },
    says: '/confirmation must be an integer, got a string',
  },
  {
    path: '/v1/c/RegisterWallet',
    request: { name: 'a', confirmation: 1.5 },
    says: '/confirmation must be an integer, got a fraction',
  },
  {
    path: '/v1/c/GetStatement',
    request: { wallet_id: 'w', start_time: '2026-01-01T00:00:00Z', end_time: 1 },
    says: '/start_time must be an integer: Unix time in seconds, got a string',
  },
  {
    path: '/v1/c/RegisterWallet',
    request: { name: 'a', confirmation: -1 },
    says: '/confirmation must be 0 to 128, got -1',
  },
  {
    path: '/v1/c/UpdateConfirmation',
    request: { wallet_id: 'w', confirmation: 129 },
    says: '/confirmation must be 0 to 128, got 129',
  },
  {
    path: '/v1/t/RegisterWebhook',
    request: { webhook_endpoint: 'https://example.com', confirmation: 9_007_199_254_740_991 },
    says: '/confirmation must be 0 to 128, got 9007199254740991',
  },
  { path: '/v1/c/ListWallets', request: { page_size: 101 }, says: '/page_size must be 1 to 100, got 101' },
  { path: '/v1/c/RegisterWallet', request: { name: '' }, says: '/name must have 1 to 50 characters, got 0' },
  {
    path: '/v1/c/RegisterWallet',
    request: { name: '😀'.repeat(51) },
    says: '/name must have 1 to 50 characters, got 51',
  },
  {
    path: '/v1/c/RegisterWallet',
    request: { name: 'a\0b' },
    says: '/name must not contain NUL or an unpaired surrogate',
  },
  {
    path: '/v1/c/BatchRegisterAddresses',
    request: { wallet_id: 'w', addresses: [] },
    says: '/addresses must have 1 to 1000 items, got 0',
  },
  {
    path: '/v1/c/BatchRegisterAddresses',
    request: { wallet_id: 'w', addresses: [address, null] },
    says: '/addresses/1 must be a string, got null',
  },
  {
    path: '/v1/c/BatchRemoveAddresses',
    request: { wallet_id: 'w', remove_all: 'yes' },
    says: '/remove_all must be true or false, got a string',
  },
  {
    path: '/v1/c/RegisterContract',
    request: { contract_address: address, contract_type: 'CONTRACT_TYPE_ERC712' },
    says: '/contract_type must be one of CONTRACT_TYPE_ERC20, CONTRACT_TYPE_ERC721, CONTRACT_TYPE_ERC1155. Did you mean CONTRACT_TYPE_ERC721?',
  },
  {
    path: '/v1/admin/CreateCredential',
    request: { organization_id: 'o', role: 'king' },
    says: '/role must be one of client, admin, auditor',
  },
  {
    path: '/v1/admin/CreateOrganization',
    request: { name: 'n', domain: 'A b' },
    says: '/domain must be a-z and 0-9, separated by single dashes',
  },
  {
    path: '/v1/c/CreateTransaction',
    request: { ...parties, value: '01' },
    says: '/value must be an integer in decimal digits, without leading zeros',
  },
  {
    path: '/v1/c/CreateTransaction',
    request: { ...parties, value: '1', data: '0xabc' },
    says: '/data must be 0x followed by two hex digits per byte',
  },
  {
    path: '/v1/c/GetTransaction',
    request: { transaction_hash: '0x12' },
    says: '/transaction_hash must be 0x followed by 64 hex digits, got 4 characters',
  },
  {
    path: '/v1/c/CreateTokenTransaction',
    request: { ...parties, contract_type: 'CONTRACT_TYPE_ERC20', token_payload: { erc20: { valeu: '1' } } },
    says: '/token_payload/erc20/contract_address is required',
  },
];

describe('a request that breaks its schema', () => {
  for (const { path, request, says } of invalidRequests)
    it(`is rejected by ${path}: ${says}`, () => {
      const { code, message } = failureOf(path, request);
      assert.deepEqual([code, message], ['INVALID_ARGUMENT', says]);
    });

  it('is rejected with the allowed values of every enumeration', () => {
    for (const { path, request } of endpoints) {
      const { properties = {} } = request as { properties?: Record<string, { enum?: readonly string[] }> };
      for (const [name, { enum: values }] of Object.entries(properties)) {
        if (!values) continue;
        const { example } = endpoints.find((one) => one.path === path) as { example: object };
        const { message } = failureOf(path, { ...example, [name]: 'something else' });
        assert.ok(
          message.startsWith(`/${name} must be one of ${values.map((one) => one || '""').join(', ')}`),
          message,
        );
      }
    }
  });

  it('is rejected without repeating the strings in it, which may be secrets', () => {
    const secret = 's3cret'.repeat(100);
    for (const { path, request } of endpoints) {
      const { properties = {} } = request as { properties?: object };
      for (const name of Object.keys(properties))
        try {
          check(ajv.compile(request), { [name]: secret });
        } catch (error) {
          assert.ok(!JSON.stringify([(error as Failure).message, (error as Failure).faults]).includes('s3cret'), path);
        }
    }
  });
});
