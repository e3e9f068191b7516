import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Payment = { readonly id: string; readonly from: string; readonly to: string; readonly value: number };

/** Starts a node of the made-up family of docs/recipes/chain-family.md, which mines on request. */
export const startCoralNode = async () => {
  const blocks: (readonly Payment[])[] = [[]];
  const began = Math.floor(Date.now() / 1000);
  const blockAt = (number: number) =>
    blocks[number] && {
      number,
      hash: `coral${number}`,
      parent: `coral${number - 1}`,
      time: began + number,
      payments: blocks[number].map((payment) => ({ ...payment, fee: 0 })),
    };
  const numberOf = (name: string) => Number(name.replace('coral', ''));
  const balanceOf = (owner: string, block: number) =>
    blocks
      .slice(0, block + 1)
      .flat()
      .reduce((sum, { from, to, value }) => sum + (to === owner ? value : 0) - (from === owner ? value : 0), 0);
  const answer = ({ pathname, searchParams }: URL) => {
    const [kind, name = ''] = pathname.slice(1).split('/');
    if (kind === 'head') return blockAt(blocks.length - 1);
    if (kind === 'blocks') return blockAt(numberOf(name));
    return { balance: balanceOf(name, numberOf(searchParams.get('block') ?? '')) };
  };
  const server = createServer((request, response) => {
    const found = answer(new URL(request.url ?? '', 'http://node'));
    response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `coral+http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mine: (payments: readonly Payment[] = []) => void blocks.push(payments),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
