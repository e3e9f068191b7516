import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toHeadRecord } from '../../../application/audit/log/head-record.js';
import { headStatement } from '../../../domain/aggregates/audit/seal-log.js';
import { isSigned } from '../../../infrastructure/keys/notary.js';
import { sha256 } from '../../../infrastructure/system.js';
import { proveWitnessed } from '../../../interfaces/cli/audit/witness.js';
import { InconclusiveResult, type Invocation, NegativeResult } from '../../../interfaces/cli/command/command.js';
import { notary } from '../../support/audit/sealed-history.js';
import { freshDirectory } from '../../support/run/directories.js';

type Answer = readonly [status: number, body: string];

const headOf = (size: number) => {
  const stated = { size, root: sha256(`root ${size}`), time: new Date(0).toISOString() };
  return toHeadRecord({ ...stated, keyId: notary.keyId, signature: notary.sign(headStatement(stated)) });
};
const problem = (code: string, detail: string) => JSON.stringify({ type: 'about:blank', code, detail });

describe('audit verify --witness with the log of a running service', () => {
  let [server, head, proof]: [Server, Answer, Answer] = [] as never;
  before(async () => {
    server = createServer(({ method }, response) => {
      const [status, body] = method === 'GET' ? head : proof;
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    [head, proof] = [
      [200, JSON.stringify(headOf(9))],
      [200, '{}'],
    ];
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  const file = join(freshDirectory(), 'heads.ndjson');
  writeFileSync(file, JSON.stringify(headOf(5)));
  /** Runs the command, and returns the printed answer and the error that ends the command. */
  const prove = async (url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`) => {
    let answer: object = {};
    const invocation = {
      options: { url },
      environment: { CHAINFOLD_API_KEY: 'ck_1', CHAINFOLD_API_SECRET: 'cs_1' },
      proof: { isSigned, sha256 },
      print: (printed: object) => {
        answer = printed;
      },
    } as unknown as Invocation;
    const error = await proveWitnessed(invocation, [file], { app: null, pinned: notary.publicKey }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return { error, answer: answer as { valid?: boolean | null; reason?: string; first?: { reason: string } } };
  };

  it('is inconclusive, with the reason, when the service cannot give a head or a proof', async () => {
    const given: readonly (readonly [Partial<{ head: Answer; proof: Answer }>, RegExp])[] = [
      [{ head: [503, problem('UNAVAILABLE', 'The seal log is broken.')] }, /The seal log is broken\./],
      [{ head: [502, '<html>'] }, /did not return a log head \(HTTP status 502\)/],
      [{ head: [404, '<html>'] }, /did not return a log head \(HTTP status 404\)/],
      [{ head: [200, '{"size":9}'] }, /did not return a log head \(HTTP status 200\)/],
      [{ proof: [503, problem('UNAVAILABLE', 'No proof is possible.')] }, /No proof is possible\./],
      [{ proof: [200, '{}'] }, /did not return a consistency proof/],
    ];
    const defaults = { head, proof };
    for (const [answers, reason] of given) {
      ({ head, proof } = { ...defaults, ...answers });
      const { error, answer } = await prove();
      assert.ok(error instanceof InconclusiveResult, String(error));
      assert.equal(answer.valid, null);
      assert.match(answer.reason ?? '', reason);
    }
    const { error, answer } = await prove('http://127.0.0.1:2');
    assert.ok(error instanceof InconclusiveResult, String(error));
    assert.match(answer.reason ?? '', /^No service answers/);
  });

  it('fails when the service has no seal, although a witness saw some', async () => {
    head = [404, problem('NOT_FOUND', 'Nothing is sealed yet.')];
    const { error, answer } = await prove();
    assert.ok(error instanceof NegativeResult, String(error));
    assert.match(answer.first?.reason ?? '', /^of 0 seals now, fewer than a witness saw/);
  });

  it('fails when the service proves nothing', async () => {
    proof = [200, JSON.stringify({ consistency_path: [sha256('any')] })];
    const { error, answer } = await prove();
    assert.ok(error instanceof NegativeResult, String(error));
    assert.match(answer.first?.reason ?? '', /^not a continuation/);
  });
});
