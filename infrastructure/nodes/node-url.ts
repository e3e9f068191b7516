import { fail } from '../../domain/failure.js';

/** Parses the URL of a node. The error message quotes no part of the URL, which may contain a key. */
export const parseNodeUrl = (given: string, family: RegExp, protocols: readonly string[], rule: string): URL => {
  const text = given.replace(family, '');
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && protocols.includes(url.protocol) ? url : fail('INVALID_ARGUMENT', rule);
};

/**
 * Creates a function that removes the secrets of a URL from a text: some nodes repeat the path or key in their errors.
 */
export const redactor = ({ username, password, pathname, searchParams }: URL) => {
  const shortest = 6;
  const secrets = [username, password, ...pathname.split('/'), ...searchParams.values()].filter(
    ({ length }) => length >= shortest,
  );
  return (text: string) => secrets.reduce((kept, secret) => kept.replaceAll(secret, '…'), text);
};

export const credentialsIn = ({ username, password }: URL): Record<string, string> =>
  username
    ? { authorization: `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')}` }
    : {};
