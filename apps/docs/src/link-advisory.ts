import type { Advisory } from './advisories.ts'

/** Returns the number of an advisory, with a link if there is a page of it. */
export function linkAdvisory({ id, cve, url }: Advisory): string {
  const number = cve ?? id
  return url === undefined ? number : `[${number}](${url})`
}
