/** Form of a setting in `chainfold.config.json`. The environment holds the same value as text. */
type Form =
  | { readonly kind: 'text' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly allowed: readonly string[] }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  /** Values separated by commas, or an array in the file. */
  | { readonly kind: 'list' };

export type Setting = Form & {
  readonly name: string;
  readonly description: string;
  readonly byDefault?: string | number | boolean;
  /** True if the value, or a password in it, must not be shown. */
  readonly isSecret?: true;
};
