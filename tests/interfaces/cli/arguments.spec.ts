import assert from 'node:assert/strict';
import { roles } from '../../../application/processes/service-process.js';
import { run } from '../../../interfaces/main.js';
import { projections } from '../../../projections/index.js';

const typed = async (line: string, environment: Record<string, string> = {}) => {
  let [out, err] = ['', ''];
  const code = await run(line.split(' '), {
    environment,
    isInteractive: false,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stopped: () => new Promise(() => undefined),
  });
  return { code, out, err };
};

const mistyped: readonly { line: string; says: string }[] = [
  { line: 'nonsense', says: 'Unknown command "nonsense". chainfold --help lists all commands.' },
  { line: 'serv', says: 'Unknown command "serv". Did you mean serve?' },
  { line: 'cal c ListWallets', says: 'Unknown command "cal c". Did you mean call?' },
  {
    line: 'organisation create --name x',
    says: 'Unknown command "organisation create". Did you mean organization create?',
  },
  { line: 'dev', says: 'Unknown command "dev". Commands: dev mine, dev reorg, dev transfer, dev deploy-token' },
  {
    line: 'credential revoke x',
    says: 'Unknown command "credential revoke". Commands: credential issue, credential list, credential delete',
  },
  { line: 'dev transfr x 1', says: 'Unknown command "dev transfr". Did you mean dev transfer?' },
  { line: 'organization create --nmae x', says: 'Unknown option --nmae. Did you mean --name?' },
  {
    line: 'organization create --colour red',
    says: 'Unknown option --colour. Options: --name, --domain, --json, --help',
  },
  { line: 'organization create -n x', says: 'Unknown option -n. Options: --name, --domain, --json, --help' },
  { line: 'organization create --name', says: '--name requires a value: --name NAME' },
  {
    line: 'organization create --name --domain x',
    says: '--name requires a value: --name NAME. Write a value that begins with a dash as --name=-…',
  },
  { line: 'organization create --name=x --domain=y --json=yes', says: '--json takes no value' },
  { line: 'organization create --name x', says: '--domain is required: --domain DOMAIN' },
  { line: 'call c', says: '<Operation> is required. Usage: chainfold call <api> <Operation> [json]' },
  {
    line: 'call c ListWallets {} more',
    says: 'Too many parameters: expected at most 3, got 4. Usage: chainfold call <api> <Operation> [json]',
  },
  {
    line: 'credential issue --organization o --role admn',
    says: '--role must be one of client, admin, auditor. Did you mean admin?',
  },
  {
    line: 'serve --role api,folower',
    says: `each role of --role must be one of ${roles.join(', ')}. Did you mean follower?`,
  },
  { line: 'chain retry c', says: '<block> is required. Usage: chainfold chain retry <chain> <block>' },
  { line: 'chain accept q 5', says: '<chain> must be one of t, s, p, c' },
  { line: 'chain accept c five', says: '<block> must be a non-negative integer of at most 15 digits' },
  { line: 'ratelimit list --organization o --chain Z', says: '--chain must be one of T, S, P, C, Q' },
  {
    line: 'ratelimit set --organization o --per-second many',
    says: '--per-second must be a non-negative integer of at most 15 digits',
  },
  {
    line: 'transactions stuck --older-than 1h',
    says: '--older-than must be a non-negative integer of at most 9 digits',
  },
  { line: 'dev transfer x 1 --variant x', says: '--variant must be one of c, p, q, s, t' },
  { line: 'call c ListWallets --url here', says: '--url must be an http or https URL, such as http://127.0.0.1:8080' },
  { line: 'dev mine three', says: 'blocks must be a non-negative integer of at most 9 digits' },
  { line: 'migrate --to service', says: '--to must be one of services, embedded. Did you mean services?' },
  { line: 'projections rebuild walets', says: 'Unknown projection walets. Did you mean wallets?' },
  {
    line: 'projections rebuild nothing-such',
    says: `Unknown projection nothing-such. Projections: ${projections.map(({ name }) => name).join(', ')}`,
  },
  {
    line: 'call c ListWallets {oops',
    says: `The request is not valid JSON. Expected for example '{"page_size":10}', or - to read it from standard input.`,
  },
];

describe('a command line', () => {
  for (const { line, says } of mistyped)
    it(`is rejected with an explanation, as in \`${line}\`: ${says}`, async () =>
      assert.deepEqual(await typed(line), { code: 2, out: '', err: `${says}\n` }));

  it('is rejected without repeating the values of its options, which may be secrets', async () => {
    for (const line of [
      'cal c X --key k --secret s3cret',
      'call c X --secert s3cret',
      'call c X {} --secret=s3cret s3cret',
    ]) {
      const { code, err } = await typed(line);
      assert.equal(code, 2);
      assert.ok(!err.includes('s3cret'), err);
    }
  });

  it('may give a value that begins with a dash after an equals sign', async () => {
    const { err } = await typed('organization create --name=-x');
    assert.equal(err, '--domain is required: --domain DOMAIN\n');
  });
});
