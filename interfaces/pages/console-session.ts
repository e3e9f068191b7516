import type { Request, Response } from 'express';
import { sessionLimits } from '../../application/access/sessions/session-ends.js';
import type { App } from '../../application/app.js';
import { fail } from '../../domain/failure.js';
import { parseJson, readBody } from '../http/body.js';
import { cookieFor, requireSameOrigin, unsafeConnection } from '../http/session-cookie.js';

const bodyLimit = 1024;

const tokenIn = (body: unknown): string => {
  const { token } = (body ?? {}) as { readonly token?: unknown };
  return typeof token === 'string' && /^[0-9a-f]{64}$/.test(token)
    ? token
    : fail('INVALID_ARGUMENT', 'Send {"token": …} with the token of the link that chainfold console prints.');
};

/**
 * Creates the handler of `POST /console/session`, which opens a session for an operator. The request contains the token
 * of a link from `chainfold console`.
 */
export const createOperatorSignIn = (app: App) => async (request: Request, response: Response) => {
  requireSameOrigin(request);
  const refusal = unsafeConnection(request);
  if (refusal !== null) return fail('FAILED_PRECONDITION', refusal);
  const token = tokenIn(parseJson(await readBody(request, bodyLimit)));
  const requestId = String(response.getHeader('x-request-id'));
  const { answer } = await app.consoleLinks.redeem(requestId, token);
  response.set({ 'set-cookie': cookieFor(answer.token), 'cache-control': 'no-store' });
  response.json({ session: { expire_time: answer.expireTime, idle_seconds: sessionLimits.idleSeconds } });
};
