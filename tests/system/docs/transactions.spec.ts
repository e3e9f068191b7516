import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transaction } from '../../../domain/aggregates/transaction.js';
import { fold, type Message } from '../../../domain/decider.js';
import { embedded } from '../../support/engines/engines.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { openPayments } from '../../support/scenes/payments.js';

const page = readFileSync('docs/transactions.md', 'utf8');
const blockIn = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? assert.fail(`no code in ${language}`);

describeInFull('docs/transactions.md', () => {
  it('names every state of a transaction', () => {
    const states = new Set<string>();
    const evolve = transaction.evolve as Record<string, (past: object, data: object) => { state: string }>;
    for (const apply of Object.values(evolve))
      states.add(apply(fold(transaction, [] as (Message & never)[]), {}).state);
    const named = [...page.matchAll(/`([A-Z]+)`/g)].map(([, name = '']) => name.toLowerCase());
    for (const state of states) if (state !== 'none') assert.ok(named.includes(state), state);
  });

  it('gives commands that take a transaction from creation to the chain', async function () {
    const scene = await openPayments(embedded, {}, { withWallet: false });
    if (!scene) return skip(this, 'the development chain (EDR is not there for this machine)');
    const directory = freshDirectory();
    // A stand-in for npx runs the repository's programs, because the empty directory has no packages of its own.
    const tools = freshDirectory();
    const root = resolve('.');
    writeFileSync(
      join(tools, 'npx'),
      `#!/bin/sh\ncase "$1" in chainfold) shift; exec node ${root}/bin/chainfold.js "$@";; tsx) shift; exec node --import ${root}/node_modules/tsx/dist/loader.mjs "$@";; esac\n`,
      { mode: 0o755 },
    );
    writeFileSync(
      join(directory, 'sign.mts'),
      blockIn('ts').replace("'ethers'", `'${root}/node_modules/ethers/lib.esm/index.js'`),
    );
    const { home, url } = scene.service();
    try {
      const { stdout } = await promisify(execFile)('bash', ['-ec', blockIn('sh')], {
        cwd: directory,
        env: {
          PATH: `${tools}${delimiter}${process.env.PATH}`,
          CHAINFOLD_DATA_DIR: home.directory,
          CHAINFOLD_PORT: new URL(url).port,
        },
      });
      assert.match(stdout, /TRANSACTION_STATE_SENT\n$/);
      await scene.mine(2);
      const { transactions } = await scene.api.listTransactions({ address: scene.sender.address });
      await scene.becomes(transactions[0]?.transaction_id ?? '', 'CONFIRMED');
    } finally {
      await scene.close();
    }
  });
});
