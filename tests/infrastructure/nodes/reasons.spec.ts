import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { status } from '@grpc/grpc-js';
import type { Chain } from '../../../application/ports/chain.js';
import type { Log } from '../../../application/ports/system.js';
import { createSuiLedger } from '../../../infrastructure/chains/development/sui/ledger.js';
import { grpcError, serveSui } from '../../../infrastructure/chains/development/sui/server.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import { suiChain } from '../../../infrastructure/chains/sui/connector.js';
import { tonChain } from '../../../infrastructure/chains/ton/connector.js';
import { faultOf } from '../../../infrastructure/nodes/json-rpc/rpc-fault.js';
import { silent } from '../../support/silent.js';

const timeouts = { deadlineMs: 30_000, timeoutMs: 20_000 };
/** Error message of about 3000 characters, which is below the limit of gRPC. */
const long = `the sender is blocked because ${'it owes a fee, '.repeat(200)}and that is all`;

type Started = { readonly url: string; close(): Promise<unknown> };

/** Starts a server that rejects every request. */
const startRefusing = async (scheme: string, answer: (id: unknown) => object, code = 200): Promise<Started> => {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const asked = text === '' ? {} : JSON.parse(text);
      const body = Array.isArray(asked) ? asked.map(({ id }) => answer(id)) : answer(asked.id);
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

const startRefusingSui = async (): Promise<Started> => {
  const refuse = () => {
    throw grpcError(status.INVALID_ARGUMENT, long);
  };
  const ledger = { ...createSuiLedger(Date.now), height: refuse, checkpoint: refuse };
  return serveSui(ledger);
};

type Family = {
  readonly start: () => Promise<Started>;
  readonly connect: (urls: string[], log: Log, options: typeof timeouts) => Promise<Chain>;
};
const families: Readonly<Record<string, Family>> = {
  evm: {
    start: () => startRefusing('http', (id) => ({ jsonrpc: '2.0', id, error: { code: -32602, message: long } })),
    connect: evmChain,
  },
  sui: { start: startRefusingSui, connect: suiChain },
  ton: { start: () => startRefusing('ton+http', () => ({ error: long, code: 422 }), 422), connect: tonChain },
};

describe("a node's error message", () => {
  for (const [family, { start, connect }] of Object.entries(families))
    it(`reaches the caller in full from a node of ${family}`, async () => {
      const node = await start();
      const chain = await connect([node.url], silent, timeouts);
      try {
        await assert.rejects(
          chain.head(),
          (error: Error) => error.message.includes(long) || assert.fail(error.message),
        );
      } finally {
        await chain.close();
        await node.close();
      }
    });

  it('is truncated to 10,000 characters with a note', () => {
    const whole = 'r'.repeat(10_000);
    assert.equal(faultOf({ code: 3, message: whole }).message, `${whole} (3)`);
    assert.equal(faultOf({ code: 3, message: `${whole}r` }).message, `${whole}… (cut after 10000 characters) (3)`);
  });

  it('does not change the kind of a fault by words far into the text', () => {
    const { kind } = faultOf({ code: -32000, message: `insufficient funds ${' '.repeat(200)} header not found` });
    assert.equal(kind, 'refused');
  });
});
