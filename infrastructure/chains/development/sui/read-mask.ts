type Tree = { readonly [field: string]: Tree };

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const treeOf = (paths: readonly string[]): Tree => {
  const tree: { [field: string]: Tree } = {};
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.');
    const below = paths.filter((one) => one.startsWith(`${first}.`)).map((one) => one.slice(first.length + 1));
    tree[camelCase(first)] = rest.length === 0 || paths.includes(first) ? {} : treeOf(below);
  }
  return tree;
};

const pick = (value: unknown, tree: Tree): unknown => {
  if (Array.isArray(value)) return value.map((one) => pick(one, tree));
  if (Object.keys(tree).length === 0 || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const below = tree[name];
      // Repeated protobuf fields are never absent, so a repeated field that was not requested becomes an empty array.
      if (!below) return Array.isArray(inner) ? [[name, []]] : [];
      return [[name, pick(inner, below)]];
    }),
  );
};

/** Reduces a message to the fields in `paths`, as a Sui node applies the read mask of a request. */
export const masked = <T>(message: T, paths: readonly string[]): T => pick(message, treeOf(paths)) as T;
