/**
 * Returns whether every database keeps a text as it is: some refuse NUL, and some replace lone
 * surrogates, so that two texts become one. Other control characters are refused with NUL.
 */
export function isStorableText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[\0-\u001f\u007f-\u009f\ud800-\udfff]/u.test(text)
}
