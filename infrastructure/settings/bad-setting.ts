/** Thrown for a missing or invalid setting. The message is one line that names the setting, but never its value. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}
