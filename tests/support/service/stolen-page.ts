import assert from 'node:assert/strict';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { call, problemIn } from './http.js';

/** List of an organization with more than one item: who asks for the list, and the fields of the request. */
export type OwnList = { readonly by: Credentials; readonly fields: object };

/** Checks that the page token of one organization's list is rejected for the list of another organization. */
export const checkStolenPage = async (url: string, path: string, theirs: OwnList, ours: OwnList): Promise<void> => {
  const pageOf = ({ by, fields }: OwnList, page_token = '') =>
    call(url, by, path, { ...fields, page_size: 1, ...(page_token && { page_token }) });
  const { body } = await pageOf(theirs);
  const token = (body as { pagination: { next_page_token: string } }).pagination.next_page_token;
  assert.notEqual(token, '', 'the list has one page only');
  assert.equal((await pageOf(ours)).status, 200);
  const stolen = await pageOf(ours, token);
  assert.equal(stolen.status, 400);
  assert.equal(problemIn(stolen).errors[0]?.path, '/page_token');
  assert.equal((await pageOf(theirs, token)).status, 200);
};
