import { AnswerIsNo, type Command, table } from '../command/command.js';

export const doctor: Command = {
  words: 'doctor',
  summary: 'Look at configuration, stores, nodes, clocks and lag, and say what to do; changes nothing.',
  options: {},
  run: async ({ examine, print }) => {
    const checks = await examine();
    const failed = checks.filter(({ level }) => level === 'fail').length;
    const warnings = checks.filter(({ level }) => level === 'warn').length;
    const rows = checks.map(({ level, check, found }) => ({
      '': level === 'ok' ? 'ok' : level.toUpperCase(),
      check,
      found,
    }));
    const advices = new Set(checks.flatMap(({ advice }) => advice ?? []));
    const whose = (given: string) => checks.filter(({ advice }) => advice === given).map(({ check }) => check);
    const advice = [...advices].map((one) => `- ${[...new Set(whose(one))].join(', ')}: ${one}`);
    const verdict = failed + warnings === 0 ? 'all is well' : `${failed} failed, ${warnings} warnings; what to do:`;
    print({ ok: failed === 0, checks }, [table(rows, ''), '', verdict, ...advice].join('\n'));
    if (failed > 0) throw new AnswerIsNo(`${failed} checks failed`);
  },
};
