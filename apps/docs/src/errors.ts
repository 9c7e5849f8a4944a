import { en } from '../../../packages/core/src/pages/languages/en.ts'
import { getErrorRow } from '../../../packages/core/src/lib/errors.ts'
import type { ErrorCode } from '@latchkey/core'
import { listHeadings } from './markdown.ts'

const shown = {
  here: 'the same page again',
  signin: 'the sign-in page, since the user can try again',
  error: 'the error page',
} as const

/**
 * Adds the status, the page and the sentence of each code to its section.
 *
 * @throws Error if the page has not exactly one section for each code
 */
export function describeErrors(page: string): string {
  const codes: readonly string[] = Object.keys(en.errors)
  const titles = [...page.matchAll(/^## (\w+)$/gm)].map(([, title]) => title)
  const missing = codes.filter((code) => !titles.includes(code))
  const other = titles.filter((title) => !codes.includes(title ?? ''))
  if (missing.length > 0 || other.length > 0 || listHeadings(page).length !== titles.length + 1) {
    throw new Error(
      `pages/reference/errors.md: missing ${missing.join(', ')}; too many: ${other.join(', ')}`,
    )
  }
  return page.replaceAll(/^## (\w+)$/gm, (heading, code: ErrorCode) => {
    const row = getErrorRow(code)
    return `${heading}\n\nStatus ${row.status}, shown on ${shown[row.shown]}: “${en.errors[code]}”`
  })
}
