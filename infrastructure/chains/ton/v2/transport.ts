import { NodeFault } from '../../../nodes/node-fault.js';
import { isRaw, type Raw } from '../../../nodes/raw.js';
import { createClient, defaultKindOf, type Endpoint, type EndpointLimits, type KindOf } from '../http-transport.js';
import { createPageSize } from '../page-size.js';
import { createAnswers } from './answers.js';
import type { Call } from './call.js';

/**
 * Error messages of a liteserver that lacks a block, perhaps only temporarily. The API server reports these messages
 * with status 5xx.
 */
const lacking = /not found|not in db|not applied|not ?ready|cannot find|not known/i;

const kindOf: KindOf = (status, reason) => {
  if (status === 404) return 'unsupported';
  if (status >= 500 && lacking.test(reason)) return 'missing';
  return [400, 422].includes(status) && /count/i.test(reason) ? 'oversized' : defaultKindOf(status);
};

const resultIn = ({ result }: Raw): Raw => {
  if (!isRaw(result)) throw new NodeFault('failing', 'answered without a result');
  return result;
};

/**
 * Connects to a server with toncenter's API v2 in front of a liteserver. Translates requests from the format of a v3
 * index, and answers into that format.
 */
export const v2Transport = (url: URL, limits: EndpointLimits): Endpoint => {
  const client = createClient(url, { version: 'v2', kindOf }, limits);
  const answers = createAnswers();
  return {
    can: { blocks: true, shards: true },
    states: { outdated: 0 },
    pages: createPageSize(),
    isBackup: true,
    ask: async ({ path, query = {}, body }, ms, until) => {
      let bytes = 0;
      const call: Call = async (method, asked, sent) => {
        const question = { path: method, ...(asked && { query: asked }), ...(sent && { body: sent }) };
        const answer = await client.ask(question, ms, until);
        bytes += answer.bytes;
        return resultIn(answer.read);
      };
      const answer = answers[path];
      if (!answer) throw new NodeFault('unsupported', 'does not support the method');
      return { read: await answer(call, { ...query, ...body }), bytes };
    },
    close: client.close,
  };
};
