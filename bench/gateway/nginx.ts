import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../tests/support/free-port.js';
import { freshDirectory } from '../../tests/support/run/directories.js';

export const hasNginx = (): boolean => spawnSync('nginx', ['-v']).status === 0;

const pollIntervalMs = 20;

/** Configures nginx with one process, like the other proxies, and keep-alive on both sides. */
const configuration = (directory: string, port: number, upstream: string) => `
daemon off; master_process off; worker_processes 1;
pid ${directory}/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi; uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
  upstream node { server ${upstream}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / { proxy_pass http://node; proxy_http_version 1.1; proxy_set_header connection ""; }
  }
}`;

const isOpen = async (port: number) => {
  const socket = connect(port, '127.0.0.1');
  const answer = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return answer;
};

/** Starts nginx as a proxy that forwards all requests to one server. */
export const startNginx = async (upstream: string) => {
  const directory = freshDirectory();
  const port = await freePort();
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration(directory, port, new URL(upstream).host));
  const child = spawn('nginx', ['-p', directory, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`nginx exited with code ${child.exitCode} at the start`);
    await sleep(pollIntervalMs);
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, close: () => child.kill() };
};
