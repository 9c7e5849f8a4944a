import axe from 'axe-core'
import { HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const htmlValidate = new HtmlValidate({
  extends: ['html-validate:standard', 'html-validate:a11y'],
  rules: { 'no-trailing-whitespace': 'off', 'void-style': ['error', { style: 'selfclose' }] },
})

/** What axe-core found. */
interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly object[] }[]
  readonly incomplete: readonly { readonly id: string }[]
}

/**
 * Expects that axe-core finds nothing on a page, whose context must have `bypassCSP`.
 *
 * @param options Its options. Default: none, for every rule
 */
export async function expectAccessible(page: Page, name: string, options = {}): Promise<void> {
  await page.addScriptTag({ content: axe.source })
  await expectNothing(page, name, options)
}

/** Expects that axe-core, which {@link expectAccessible} has added, finds nothing in the dark colours of a page. */
export async function expectAccessibleInDark(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  // Nothing else of a page depends on the colours.
  await expectNothing(page, `${name}, dark`, { runOnly: ['color-contrast', 'link-in-text-block'] })
  await page.emulateMedia({ colorScheme: 'light' })
}

async function expectNothing(page: Page, name: string, options: object): Promise<void> {
  // A letter alone, the mark of a provider without one, is too short for axe to judge. The name is beside it.
  const context = JSON.stringify({ exclude: ['svg text'] })
  const run = `axe.run(${context}, ${JSON.stringify(options)})`
  const results = await page.evaluate<AxeResults>(run)
  expect(results.violations, name).toEqual([])
  expect(results.incomplete, name).toEqual([])
}

/** Expects that html-validate accepts a page as the service sent it. */
export async function expectValid(html: string, name: string): Promise<void> {
  expect(html).toMatch(/^<!doctype html>/)
  const report = await htmlValidate.validateString(html)
  expect(
    report.results.flatMap(({ messages }) => messages),
    name,
  ).toEqual([])
}
