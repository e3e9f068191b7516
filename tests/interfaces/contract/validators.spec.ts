import assert from 'node:assert/strict';
import { Parser } from '@asyncapi/parser';
import { parseOpenRPCDocument, validateOpenRPCDocument } from '@open-rpc/schema-utils-js';
import { methods } from '../../../application/gateway/methods.js';
import { subscriptionNames } from '../../../application/gateway/params.js';
import { asyncApi } from '../../../interfaces/contract/asyncapi.js';
import { notifications } from '../../../interfaces/contract/webhooks.js';
import { openRpc } from '../../../interfaces/gateway/openrpc.js';

describe('/openrpc.json', () => {
  it('passes the official validator, which also resolves its methods', async () => {
    const text = JSON.stringify(openRpc('1.2.3'));
    assert.equal(validateOpenRPCDocument(JSON.parse(text)), true);
    const parsed = await parseOpenRPCDocument(JSON.parse(text));
    assert.equal(parsed.info.version, '1.2.3');
    assert.deepEqual(
      parsed.methods.map((method) => ('name' in method ? method.name : '')),
      methods.map(({ name }) => name),
    );
  });
});

describe('/asyncapi.json', () => {
  it('passes the official parser without a finding', async () => {
    const { document, diagnostics } = await new Parser().parse(JSON.stringify(asyncApi('1.2.3')));
    assert.deepEqual(
      diagnostics.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`),
      [],
    );
    assert.equal(document?.info().version(), '1.2.3');
  });

  it('describes every notification of every wallet API, and every subscription', () => {
    type Channel = { messages: Record<string, { payload: object }> };
    const { channels } = asyncApi('1.2.3') as { channels: Readonly<Record<string, Channel | undefined>> };
    for (const { variant, notification } of notifications)
      assert.ok(channels[`${variant.segment}Webhook`]?.messages[notification.name]?.payload, notification.name);
    for (const name of subscriptionNames)
      for (const kind of ['Subscribe', 'Push']) assert.ok(channels.gateway?.messages[`${name}${kind}`], name);
  });
});
