/** Returns the URL of a service that listens on this host and port. IPv6 hosts are put in brackets. */
export const baseUrl = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
