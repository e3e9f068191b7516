import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

type Form = { readonly etag: string; readonly body: Buffer };

const compress = promisify(gzip);

const tagOf = (body: Buffer) => createHash('sha256').update(body).digest('base64url').slice(0, 22);

/**
 * Returns true if the `if-none-match` header names the ETag of this form of the page. The comparison ignores `W/` (RFC
 * 9110, section 13.1.2).
 */
const isKnown = ({ etag }: Form, given = '') =>
  given
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === '*' || one === etag);

/**
 * Creates a handler that serves the same page to every caller. The page is rendered and compressed only once, on the
 * first request, so that further requests are cheap: anybody can send them, because no credential is needed.
 */
export const createDocument = (
  write: () => string | Buffer,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json; charset=utf-8' },
) => {
  let plain: Form | undefined;
  let compressed: Promise<Form> | undefined;
  const plainForm = () => {
    if (plain) return plain;
    const written = write();
    const body = typeof written === 'string' ? Buffer.from(written) : written;
    plain = { etag: `"${tagOf(body)}"`, body };
    return plain;
  };
  const compressForm = async () => {
    const body = await compress(plainForm().body);
    return { etag: `"${tagOf(body)}-gzip"`, body };
  };
  const compressedForm = () => {
    compressed ??= compressForm();
    return compressed;
  };

  return async (request: Request, response: Response): Promise<void> => {
    const isCompressed = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    const form = isCompressed ? await compressedForm() : plainForm();
    response.set({ 'cache-control': 'no-cache', ...headers, etag: form.etag, vary: 'accept-encoding' });
    if (isCompressed) response.set('content-encoding', 'gzip');
    if (isKnown(form, request.headers['if-none-match'])) return void response.status(304).end();
    response.set('content-length', String(form.body.length)).end(form.body);
  };
};
