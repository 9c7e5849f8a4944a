/**
 * Returns whether every database keeps a text as it is: some refuse NUL, and some replace lone
 * surrogates, so that two texts become one. Other control characters are refused with NUL.
 */
export function isStorableText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[\0-\u001f\u007f-\u009f\ud800-\udfff]/u.test(text)
}

/** Returns whether a value can be an id in every database: 1 to 255 characters. */
export function isStorableId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 255 && isStorableText(value)
}
