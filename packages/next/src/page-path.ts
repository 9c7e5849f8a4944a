/** Returns whether a path is that of a file of Next.js, and not of a page or its data. */
export function isAsset(path: string): boolean {
  // The data of a page, in contrast to its scripts, is as private as the page, however it is encoded.
  return /^\/(?:_next\/(?!data\/)[\w-]+(?:\/|$)|favicon\.ico$)/.test(path)
}
