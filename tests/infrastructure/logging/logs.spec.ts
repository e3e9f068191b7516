import assert from 'node:assert/strict';
import { openLogs } from '../../../infrastructure/logging/logs.js';
import { prettyLine } from '../../../infrastructure/logging/pretty-line.js';

const request = {
  requestId: 'a"\\b',
  organizationId: undefined,
  operation: 'c/GetWallet',
  status: 404,
  code: 'NOT_FOUND',
  detail: 'Wallet “x” not found',
  ms: 1.5,
};

const linesAt = (level: string) => {
  const lines: string[] = [];
  const logs = openLogs(level, { kind: 'all' }, { write: (line) => lines.push(line) });
  return { ...logs, lines };
};

describe('the log of the service', () => {
  it('has the same fields in lines about requests as in all others', () => {
    const { log, requestLog, lines } = linesAt('info');
    log.info({}, 'Service ready');
    requestLog.write(request, 'Request refused');
    const [own = {}, about = {}] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const { time, ...rest } = about;
    assert.equal(typeof time, 'number');
    const { organizationId: _, ...fields } = request;
    assert.deepEqual(rest, {
      level: own.level,
      pid: own.pid,
      hostname: own.hostname,
      ...fields,
      msg: 'Request refused',
    });
    assert.ok(lines.every((line) => line.endsWith('}\n') && line.indexOf('\n') === line.length - 1));
  });

  it('has no lines about requests above the level info', () => {
    assert.deepEqual(linesAt('trace').requestLog.policy, { kind: 'all' });
    assert.deepEqual(linesAt('warn').requestLog.policy, { kind: 'off' });
    assert.deepEqual(linesAt('silent').requestLog.policy, { kind: 'off' });
  });
});

describe('a line of the log on a terminal', () => {
  const pretty = (fields: object) =>
    prettyLine(`${JSON.stringify({ level: 30, time: 0, pid: 1, hostname: 'h', ...fields })}\n`);

  it('has time, level, message and fields', () =>
    assert.equal(
      pretty({ requestId: 'a', status: 404, detail: 'Wallet not found', list: [1], msg: 'Request refused' }),
      '00:00:00.000 INFO  Request refused requestId=a status=404 detail="Wallet not found" list=[1]\n',
    ));

  it('has the stack of an error in lines below it', () =>
    assert.equal(
      pretty({ level: 50, err: { message: 'x', stack: 'Error: x\n    at y' }, msg: 'Request failed' }),
      '00:00:00.000 ERROR Request failed\n    Error: x\n        at y\n',
    ));

  it('escapes control characters', () =>
    assert.equal(
      pretty({ requestId: 'a\u001b[2J\u202eb', msg: 'x\u0007' }),
      '00:00:00.000 INFO  x\\u0007 requestId=a\\u001b[2J\\u202eb\n',
    ));
});
