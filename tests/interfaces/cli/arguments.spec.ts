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

const wrong: readonly { line: string; says: string }[] = [
  { line: 'nonsense', says: 'there is no command "nonsense"; chainfold --help lists them' },
  { line: 'serv', says: 'there is no command "serv"; did you mean serve?' },
  { line: 'cal c ListWallets', says: 'there is no command "cal c"; did you mean call?' },
  {
    line: 'organisation create --name x',
    says: 'there is no command "organisation create"; did you mean organization create?',
  },
  { line: 'dev', says: 'there is no command "dev"; there are dev mine, dev reorg, dev transfer, dev deploy-token' },
  {
    line: 'credential revoke x',
    says: 'there is no command "credential revoke"; there are credential issue, credential list, credential delete',
  },
  { line: 'dev transfr x 1', says: 'there is no command "dev transfr"; did you mean dev transfer?' },
  { line: 'organization create --nmae x', says: 'there is no option --nmae; did you mean --name?' },
  {
    line: 'organization create --colour red',
    says: 'there is no option --colour; there are --name, --domain, --json, --help',
  },
  { line: 'organization create -n x', says: 'there is no option -n; there are --name, --domain, --json, --help' },
  { line: 'organization create --name', says: '--name needs a value: --name NAME' },
  {
    line: 'organization create --name --domain x',
    says: '--name needs a value: --name NAME; one that begins with a dash is given as --name=-…',
  },
  { line: 'organization create --name=x --domain=y --json=yes', says: '--json takes no value' },
  { line: 'organization create --name x', says: '--domain is needed: --domain DOMAIN' },
  { line: 'call c', says: '<Operation> is needed: chainfold call <api> <Operation> [json]' },
  { line: 'call c ListWallets {} more', says: '4 parameters are too many: chainfold call <api> <Operation> [json]' },
  {
    line: 'credential issue --organization o --role admn',
    says: '--role must be one of client, admin; did you mean admin?',
  },
  {
    line: 'serve --role api,folower',
    says: `each role of --role must be one of ${roles.join(', ')}; did you mean follower?`,
  },
  { line: 'chain retry c', says: '<block> is needed: chainfold chain retry <chain> <block>' },
  { line: 'chain accept q 5', says: '<chain> must be one of t, s, p, c' },
  { line: 'chain accept c five', says: '<block> must be a whole number of at most 15 digits' },
  { line: 'ratelimit list --organization o --chain Z', says: '--chain must be one of T, S, P, C, Q' },
  {
    line: 'ratelimit set --organization o --per-second many',
    says: '--per-second must be a whole number of at most 15 digits',
  },
  { line: 'transactions stuck --older-than 1h', says: '--older-than must be a whole number of at most 9 digits' },
  { line: 'dev transfer x 1 --variant x', says: '--variant must be one of c, p, q, s, t' },
  { line: 'call c ListWallets --url here', says: '--url must be the URL of a service, such as http://127.0.0.1:8080' },
  { line: 'dev mine three', says: 'blocks must be a whole number of at most 9 digits' },
  { line: 'migrate --to service', says: '--to must be one of services, embedded; did you mean services?' },
  { line: 'projections rebuild walets', says: 'there is no projection walets; did you mean wallets?' },
  {
    line: 'projections rebuild nothing-such',
    says: `there is no projection nothing-such; there are ${projections.map(({ name }) => name).join(', ')}`,
  },
  {
    line: 'call c ListWallets {oops',
    says: `the request is not JSON, such as '{"page_size":10}'; - reads it from standard input`,
  },
];

describe('a command that is typed wrongly', () => {
  for (const { line, says } of wrong)
    it(`is answered, for \`${line}\`: ${says}`, async () =>
      assert.deepEqual(await typed(line), { code: 2, out: '', err: `${says}\n` }));

  it('is answered without the values of its options, which may be secrets', async () => {
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

  it('takes a value that begins with a dash after an equals sign', async () => {
    const { err } = await typed('organization create --name=-x');
    assert.equal(err, '--domain is needed: --domain DOMAIN\n');
  });
});
