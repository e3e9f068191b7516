/** Returns the URL of a service that listens on this host and port. An IPv6 address as the host is put in brackets. */
export const baseUrl = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
