/** What a page exposes to its test. */
export interface TestPage<Module> {
  auth: Module
  /** Every text that the page showed, oldest first. */
  shownTexts: string[]
  update: (data?: unknown) => Promise<unknown>
  errors: string[]
}

/** Returns the global object of the page, where its test finds these values. */
export function getTestPage<Module>(): TestPage<Module> {
  return globalThis as unknown as TestPage<Module>
}
