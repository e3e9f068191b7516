/** Where a service that listens on a host and port is called. */
export const baseUrl = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
