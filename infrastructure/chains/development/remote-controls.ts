import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DevelopmentControls } from './development-node.js';
import { RpcError, toRpcError } from './rpc-error.js';

type Control = keyof DevelopmentControls;
/** Body of a request: the control to run and the argument to pass to it. */
type ControlCall = { readonly control: Control; readonly argument: unknown };
type ControlAnswer = { readonly result: unknown } | { readonly error: { code: number; message: string } };

const run = async (controls: DevelopmentControls, { control, argument }: ControlCall): Promise<ControlAnswer> => {
  try {
    return { result: (await controls[control]?.(argument as never)) ?? null };
  } catch (error) {
    const { code, message } = toRpcError(error);
    return { error: { code, message } };
  }
};

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ControlCall;
};

/** Serves the controls of a development chain to other processes on this machine. */
export const serveControls = async (controls: DevelopmentControls) => {
  const answer = async (request: IncomingMessage, response: ServerResponse) =>
    response.end(JSON.stringify(await run(controls, await bodyOf(request))));
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    hasTokens: controls.deployToken !== undefined,
    close: () => new Promise<void>((closed) => server.close(() => closed()).closeAllConnections()),
  };
};

/** Controls of a development chain that runs in another process. */
export const remoteControls = (url: string, hasTokens: boolean): DevelopmentControls => {
  const call = async (control: Control, argument: unknown) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ control, argument }) });
    const answer = (await response.json()) as ControlAnswer;
    if ('error' in answer) throw new RpcError(answer.error.code, answer.error.message);
    return answer.result as object;
  };
  return {
    transfer: (options) => call('transfer', options),
    ...(hasTokens && { deployToken: (options) => call('deployToken', options) }),
    mine: async (blocks) => void (await call('mine', blocks)),
  };
};
