import assert from 'node:assert/strict';
import { readConfig } from '../../../../infrastructure/config.js';

describe('the settings of a Sui chain', () => {
  for (const part of ['/path', '/v2/key-of-eleven', '#part'])
    it(`reject ${part} in the URL of a Sui node, and say where a key belongs`, () =>
      assert.throws(
        () => readConfig({ CHAIN_S_URL: `sui+grpcs://a.example:443,sui+grpcs://b.example${part}` }),
        ({ message }: Error) =>
          message.startsWith('CHAIN_S_URL must have only a host, a port and a query') && !message.includes('eleven'),
      ));
  it('reject user info in the URL of a Sui node', () =>
    assert.throws(
      () => readConfig({ CHAIN_S_URL: 'sui+grpcs://user:pass@a.example' }),
      /gRPC has no path and no user info/,
    ));

  const archived = (set: Record<string, string>) => readConfig(set).chains.find(({ tag }) => tag === 'S')?.archive;
  const node = { CHAIN_S_URL: 'sui+grpcs://a.example/?x-token=1' };
  it('accept an archive for checkpoints that the nodes prune', () => {
    assert.equal(archived(node), undefined);
    assert.deepEqual(archived({ ...node, CHAIN_S_ARCHIVE_URL: 'sui+grpcs://b.example' }), ['sui+grpcs://b.example']);
  });
  it('reject an archive without nodes, of another kind, or if no node prunes', () => {
    const refused = (set: Record<string, string>, message: RegExp) => assert.throws(() => readConfig(set), message);
    const archive = { CHAIN_S_ARCHIVE_URL: 'sui+grpcs://b.example' };
    refused(archive, /^BadSetting: CHAIN_S_ARCHIVE_URL needs CHAIN_S_URL/);
    refused({ ...archive, CHAIN_S_URL: 'off' }, /^BadSetting: CHAIN_S_ARCHIVE_URL needs CHAIN_S_URL/);
    const evm = { CHAIN_P_URL: 'https://a.example', CHAIN_P_ARCHIVE_URL: 'https://b.example' };
    refused(evm, /CHAIN_P_ARCHIVE_URL is supported only for sui nodes, but CHAIN_P_URL has evm nodes/);
    refused(
      { ...node, CHAIN_S_ARCHIVE_URL: 'https://b.example' },
      /CHAIN_S_ARCHIVE_URL must be node URLs .*sui\+grpc:/,
    );
    refused({ ...node, CHAIN_S_ARCHIVE_URL: 'sui+grpc://b.example/x' }, /CHAIN_S_ARCHIVE_URL must have only a host/);
  });
});
