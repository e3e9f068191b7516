import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Role, ToPeer } from './peer.js';

export const startPeer = async (role: Role, upstream = '') => {
  const isCompiled = import.meta.url.endsWith('.js');
  const module = new URL(isCompiled ? './peer.js' : './peer.ts', import.meta.url);
  const child = fork(module, [role, upstream], { execArgv: isCompiled ? [] : ['--import', 'tsx'] });
  const [url] = (await once(child, 'message')) as [string];
  return { url, pid: child.pid, send: (what: ToPeer) => child.send(what), close: () => child.disconnect() };
};
