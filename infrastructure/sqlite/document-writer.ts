import { inTransaction, openDatabase } from './database.js';
import { serveThread } from './thread.js';

/** A collection's table and the document fields its indexes need as columns. */
export type Table = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly indexes: readonly { readonly name: string; readonly columns: readonly string[] }[];
};
export type DocumentChange = {
  readonly table: string;
  readonly scope: string;
  readonly id: string;
  readonly document: string | null;
  readonly values: readonly (string | number | null)[];
};
export type Reset = { readonly reset: true };
export type Commit = {
  readonly changes: readonly DocumentChange[];
  readonly revision: number;
  readonly positions: string;
};

const quoted = (name: string) => `"${name}"`;

const schemaOf = ({ name, columns, indexes }: Table) => `
  CREATE TABLE IF NOT EXISTS ${quoted(name)} (
    scope TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL,
    ${columns.map((column) => `${quoted(column)},`).join(' ')}
    PRIMARY KEY (scope, id)
  );
  ${indexes
    .map((index) => {
      const fields = ['scope', ...index.columns, 'id'].map(quoted).join(', ');
      return `CREATE INDEX IF NOT EXISTS ${quoted(`${name}_${index.name}`)} ON ${quoted(name)} (${fields});`;
    })
    .join('\n')}`;

serveThread<{ path: string; tables: readonly Table[] }, Commit | Reset, boolean>(({ path, tables }) => {
  const db = openDatabase(path, 'relaxed');
  inTransaction(db, () =>
    db.exec(`
      CREATE TABLE IF NOT EXISTS checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER, positions TEXT);
      INSERT OR IGNORE INTO checkpoint VALUES (1, 0, '{}');
      ${tables.map(schemaOf).join('\n')}`),
  );
  const statements = new Map(
    tables.map(({ name, columns }) => {
      const all = ['scope', 'id', 'document', ...columns].map(quoted);
      const update = ['document', ...columns].map((column) => `${quoted(column)} = excluded.${quoted(column)}`);
      return [
        name,
        {
          put: db.prepare(`INSERT INTO ${quoted(name)} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})
            ON CONFLICT (scope, id) DO UPDATE SET ${update.join(', ')}`),
          remove: db.prepare(`DELETE FROM ${quoted(name)} WHERE scope = ? AND id = ?`),
        },
      ];
    }),
  );
  const move = db.prepare('UPDATE checkpoint SET revision = revision + 1, positions = ? WHERE revision = ?');

  const commit = ({ changes, revision, positions }: Commit) =>
    inTransaction(db, () => {
      if (Number(move.run(positions, revision).changes) === 0) return false;
      for (const { table, scope, id, document, values } of changes) {
        const statement = statements.get(table);
        if (document === null) statement?.remove.run(scope, id);
        else statement?.put.run(scope, id, document, ...values);
      }
      return true;
    });
  const reset = () =>
    inTransaction(db, () => {
      for (const { name } of tables) db.exec(`DELETE FROM ${quoted(name)}`);
      db.exec("UPDATE checkpoint SET revision = revision + 1, positions = '{}'");
      return true;
    });
  return (jobs) => jobs.map((job) => ('reset' in job ? reset() : commit(job)));
});
