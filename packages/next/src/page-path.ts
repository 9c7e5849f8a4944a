/** Returns whether a path names a Next.js file, and not a page or the data of a page. */
export function isAsset(path: string): boolean {
  // The data of a page, in contrast to its scripts, is as private as the page, however it is encoded.
  return /^\/(?:_next\/(?!data\/)[\w-]+(?:\/|$)|favicon\.ico$)/.test(path)
}
