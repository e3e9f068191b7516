/** URL at which a service that listens on this host and port is called; IPv6 hosts get their brackets. */
export const baseUrl = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
