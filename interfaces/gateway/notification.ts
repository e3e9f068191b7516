import type { Told } from '../../application/gateway/told.js';

/** Notifications use the prefix that the subscriber used. */
export type Prefix = 'evm' | 'eth';

/** As long as every id is. */
const placeholder = `0x${'0'.repeat(32)}`;

type Template = { readonly bytes: Buffer; readonly idAt: number };

const templates: Readonly<Record<Prefix, WeakMap<Told, Template>>> = { evm: new WeakMap(), eth: new WeakMap() };

const templateFor = (told: Told, prefix: Prefix): Template => {
  const made = templates[prefix].get(told);
  if (made) return made;
  const before = `{"jsonrpc":"2.0","method":"${prefix}_subscription","params":{"subscription":"`;
  const template = { bytes: Buffer.from(`${before}${placeholder}","result":${told.json}}}`), idAt: before.length };
  templates[prefix].set(told, template);
  return template;
};

/** Written once for all subscribers; each gets a copy with its own id in it. */
export const notificationFor = (told: Told, prefix: Prefix, id: string): Buffer => {
  const { bytes, idAt } = templateFor(told, prefix);
  const message = Buffer.allocUnsafe(bytes.length);
  bytes.copy(message);
  message.write(id, idAt, 'latin1');
  return message;
};
