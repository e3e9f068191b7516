import assert from 'node:assert/strict';
import { loggableDetail, printable, shortKey } from '../../../application/tracing/key-form.js';

const [organization, random] = ['0123456789abcdef'.repeat(2), 'fedcba9876543210'.repeat(2)];

describe('the short form of a key', () => {
  it('has the kind and the first eight random digits of an API key or a gateway token', () => {
    assert.equal(shortKey(`ck_${organization}_${random}`), 'ck_fedcba98');
    assert.equal(shortKey(`gt_${organization}_${random}`), 'gt_fedcba98');
  });

  it('is absent for any other text, which may be a secret', () => {
    const others = [
      undefined,
      '',
      random.repeat(2),
      `ck_${organization}`,
      ` ck_${organization}_${random}`,
      'whsec_abc',
    ];
    assert.deepEqual(
      others.map(shortKey),
      others.map(() => undefined),
    );
  });
});

describe('an explanation in the log', () => {
  it('contains short forms instead of keys', () =>
    assert.equal(
      loggableDetail(`unknown path /c/mainnet/v1/gt_${organization}_${random}?a`),
      'unknown path /c/mainnet/v1/gt_fedcba98?a',
    ));

  it('has at most 300 characters and an ellipsis', () => {
    assert.equal(loggableDetail('x'.repeat(300)), 'x'.repeat(300));
    assert.equal(loggableDetail('x'.repeat(301)), `${'x'.repeat(300)}…`);
  });

  it('has no control characters, which could forge a line or change the terminal', () => {
    const given = 'a\nb\r\tc\u001b[31md\u0000e\u009bf\u202eg\u2028h\u{e0001}';
    assert.equal(printable(given), 'a\\u000ab\\u000d\\u0009c\\u001b[31md\\u0000e\\u009bf\\u202eg\\u2028h\\ue0001');
    assert.equal(printable('Wörter, “quotes” and 漢字 stay'), 'Wörter, “quotes” and 漢字 stay');
  });
});
