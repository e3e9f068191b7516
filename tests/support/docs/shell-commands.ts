const blocks = /^( *)```sh\n(.*?)^\1```$/gms;
const inline = /`([^`\n]+)`/g;
const programs = /^(?:[A-Z_]+=\S+ )*(?:npx )?(?:chainfold|docker|systemctl|promtool|mongodump) (?=[a-z-])/;

/** Removes the comment from a line, and the word `npx`, which a page may leave out. */
const withoutDecoration = (line: string) =>
  line
    .replace(/(?:^| +)# .*$/, '')
    .replaceAll('npx chainfold', 'chainfold')
    .trim();

/** Lists the inline code of a page. */
export const quotedCodeIn = (page: string): readonly string[] =>
  [...page.replaceAll(blocks, '').matchAll(inline)].map(([, code = '']) => code);

/**
 * Lists every command that a page gives with its program, each once: the lines of its shell blocks, and commands in
 * inline code.
 */
export const shellCommandsIn = (page: string): ReadonlySet<string> => {
  const lines = [...page.matchAll(blocks)].flatMap(([, , block = '']) => block.split('\n'));
  const found = [...lines, ...quotedCodeIn(page).filter((code) => programs.test(code))].map(withoutDecoration);
  return new Set(found.filter((command) => command !== ''));
};
