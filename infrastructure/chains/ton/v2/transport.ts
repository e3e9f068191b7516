import { NodeFault } from '../../../nodes/node-fault.js';
import { isRaw, type Raw } from '../../../nodes/raw.js';
import { createAsker, type Endpoint, type EndpointLimits, type KindOf, usualKindOf } from '../http-transport.js';
import { createPageSize } from '../page-size.js';
import { createAnswers } from './answers.js';
import type { Call } from './call.js';

/** Words of a liteserver that lacks a block, perhaps not for long; the server in front of it calls them an error. */
const lacking = /not found|not in db|not applied|not ?ready|cannot find|not known/i;

const kindOf: KindOf = (status, reason) => {
  if (status === 404) return 'unsupported';
  if (status >= 500 && lacking.test(reason)) return 'missing';
  return [400, 422].includes(status) && /count/i.test(reason) ? 'oversized' : usualKindOf(status);
};

const resultIn = ({ result }: Raw): Raw => {
  if (!isRaw(result)) throw new NodeFault('failing', 'answered without a result');
  return result;
};

/**
 * Connects to a server with the API of toncenter, version 2, which stands before a liteserver. It is asked in the words of
 * an index of version 3, and answers in its form.
 */
export const v2Transport = (url: URL, limits: EndpointLimits): Endpoint => {
  const asker = createAsker(url, { version: 'v2', kindOf }, limits);
  const answers = createAnswers();
  return {
    can: { blocks: true, shards: true },
    pages: createPageSize(),
    isBackup: true,
    ask: async ({ path, query = {}, body }, ms, until) => {
      let bytes = 0;
      const call: Call = async (method, asked, sent) => {
        const question = { path: method, ...(asked && { query: asked }), ...(sent && { body: sent }) };
        const answer = await asker.ask(question, ms, until);
        bytes += answer.bytes;
        return resultIn(answer.read);
      };
      const answer = answers[path];
      if (!answer) throw new NodeFault('unsupported', 'does not have the method');
      return { read: await answer(call, { ...query, ...body }), bytes };
    },
    close: asker.close,
  };
};
