/** What a page shows to its test. */
export interface TestPage<Module> {
  auth: Module
  /** Every state that has been shown, oldest first. */
  seen: string[]
  update: (data?: unknown) => Promise<unknown>
  errors: string[]
}

/** Where the page's test finds it. */
export function testPage<Module>(): TestPage<Module> {
  return globalThis as unknown as TestPage<Module>
}
