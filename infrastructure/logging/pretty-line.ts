import { printable } from '../../application/tracing/key-form.js';

const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

const valueText = (value: unknown) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));
};

type Line = { level: number; time: number; msg?: string; err?: { stack?: string } } & Readonly<Record<string, unknown>>;
const hidden: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err']);

/** Formats a line of the log for a terminal: time, level, message and fields. */
export const prettyLine = (line: string): string => {
  const given = JSON.parse(line) as Line;
  const time = new Date(given.time).toISOString().slice(11, 23);
  const level = (levels[given.level] ?? String(given.level)).padEnd(5);
  const fields = Object.entries(given).flatMap(([name, value]) =>
    hidden.has(name) ? [] : `${printable(name)}=${valueText(value)}`,
  );
  const trace = given.err?.stack?.split('\n').map((text) => `\n    ${printable(text)}`) ?? [];
  return `${[time, level, printable(given.msg ?? ''), ...fields].join(' ')}${trace.join('')}\n`;
};
