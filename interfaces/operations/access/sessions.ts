import { sessionLimits } from '../../../application/access/sessions/session-ends.js';
import { fail } from '../../../domain/failure.js';
import { operation } from '../define.js';
import { sessionRecord } from '../records.js';

export const createSession = operation({
  kind: 'command',
  name: 'CreateSession',
  summary: 'Sign in to the console: open a session, whose cookie authenticates queries of the same browser.',
  surface: 'admin',
  extension: true,
  confidential: true,
  session: 'opens',
  request: {},
  example: () => ({}),
  response: { session: { schema: sessionRecord, required: true } },
  handle: async (app, _, { cookie, ...by }) => {
    const refusal = cookie?.refusal() ?? null;
    if (refusal !== null) return fail('FAILED_PRECONDITION', refusal);
    const { answer, position } = await app.sessions.open(by, by);
    cookie?.set(answer.token);
    const session = { expire_time: answer.expireTime, idle_seconds: sessionLimits.idleSeconds };
    return { answer: { session }, position };
  },
});

export const deleteSession = operation({
  kind: 'command',
  name: 'DeleteSession',
  summary:
    'Sign out of the console: end the session of the cookie, or without a cookie all sessions of the credential.',
  surface: 'admin',
  extension: true,
  session: 'ends',
  request: {},
  example: () => ({}),
  response: {},
  handle: async (app, _, { cookie, ...by }) => {
    const done = await app.sessions.close(by, by, cookie?.sent);
    cookie?.set(null);
    return done;
  },
});
