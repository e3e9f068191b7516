import { type Command, NegativeResult, table } from '../command/command.js';

const colours = { ok: 'green', WARN: 'yellow', FAIL: 'red' } as const;

export const doctor: Command = {
  words: 'doctor',
  summary: 'Check configuration, stores, nodes, clocks and lag, and suggest fixes. Changes nothing.',
  options: {},
  run: async ({ examine, print, paint }) => {
    const checks = await examine();
    const failed = checks.filter(({ level }) => level === 'fail').length;
    const warnings = checks.filter(({ level }) => level === 'warn').length;
    const rows = checks.map(({ level, check, found }) => ({
      '': level === 'ok' ? 'ok' : level.toUpperCase(),
      check,
      found,
    }));
    const advices = new Set(checks.flatMap(({ advice }) => advice ?? []));
    const checksWith = (given: string) => checks.filter(({ advice }) => advice === given).map(({ check }) => check);
    const advice = [...advices].map((one) => `- ${[...new Set(checksWith(one))].join(', ')}: ${one}`);
    const verdict =
      failed + warnings === 0 ? 'All checks passed' : `${failed} failed, ${warnings} warnings. What to do:`;
    const coloured = table(rows, '').replace(/^(?:ok|WARN|FAIL)/gm, (level) =>
      paint(colours[level as keyof typeof colours], level),
    );
    print({ ok: failed === 0, checks }, [coloured, '', paint('bold', verdict), ...advice].join('\n'));
    if (failed > 0) throw new NegativeResult(`${failed} checks failed`);
  },
};
