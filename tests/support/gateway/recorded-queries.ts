import assert from 'node:assert/strict';
import { createAjv } from '../../../interfaces/http/validation.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import { type AnsweringNode, startAnsweringNode } from '../chains/answering-node.js';
import { embedded } from '../engines/engines.js';
import { problemIn, call as send, sign } from '../service/http.js';
import { demoOf, type Service, startService } from '../service/service.js';
import { recordedAnswers } from './recorded-rollup.js';

export type Records = Record<string, unknown>[];
const ajv = createAjv();

/** Fails unless the body fits the published schema of the operation. */
export const checkAnswer = (name: string, body: object) => {
  const endpoint = endpoints.find(({ path }) => path === `/v1/q/${name}`);
  assert.ok(endpoint && ajv.validate(endpoint.response, body), `${name}: ${ajv.errorsText()}`);
};

/** Starts a service with a node that answers from the recorded rollup, and returns functions that call the service. */
export const useRecordedRollup = () => {
  let node: AnsweringNode;
  let service: Service;
  before(async () => {
    node = await startAnsweringNode(recordedAnswers());
    service = await startService({ on: embedded, env: { CHAIN_Q_URL: node.url } });
  });
  after(async () => {
    await service.stop();
    await node.close();
  });
  afterEach(() => {
    for (const method of Object.keys(node.answers)) delete node.answers[method];
    Object.assign(node.answers, recordedAnswers());
  });

  const call = (name: string, request: unknown) => send(service.url, demoOf(service.home), `/v1/q/${name}`, request);
  return {
    node: () => node,
    service: () => service,
    ask: async (name: string, request: object) => {
      const answer = await call(name, request);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      checkAnswer(name, answer.body);
      return answer.body;
    },
    /** Returns the text of the answer as the service sent it. */
    textOf: async (name: string, request: object) => {
      const [path, body] = [`/v1/q/${name}`, JSON.stringify(request)];
      const headers = { 'content-type': 'application/json', ...sign(demoOf(service.home), path, body) };
      return (await fetch(new URL(path, service.url), { method: 'POST', headers, body })).text();
    },
    refused: async (name: string, request: unknown, status: number, code: string, detail = /./) => {
      const answer = await call(name, request);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.equal(problemIn(answer).code, code);
      assert.match(problemIn(answer).detail, detail);
    },
  };
};
