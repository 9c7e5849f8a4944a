import { equal } from '@latchkey/core/testing/equal'
import { Browser } from '@latchkey/core/testing/browser'
import { serviceContract } from '@latchkey/core/testing/service-contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { frameworks } from '../src/frameworks.ts'
import type { RunningHost } from '../src/hosts.ts'
import { printTable } from '../src/table.ts'

/** A deviation of a framework before its routes, which no setting turns off. */
interface Exception {
  readonly host: string
  /** The case that fails in this host. */
  readonly case: string
  /** The message of the failure. */
  readonly message: string
  readonly why: string
}

const PATHS = 'paths are compared raw, exactly, with one trailing slash allowed (I-3)'

const exceptions: readonly Exception[] = [
  {
    host: 'Next.js',
    case: PATHS,
    message: '//session: expected 404, found 308',
    why: 'Next redirects URLs with repeated slashes to those without, before any route',
  },
  {
    host: 'Astro',
    case: PATHS,
    message: '/session//: expected 404, found 301',
    why: 'Astro redirects URLs with repeated slashes at the end to those with one',
  },
]

/** Paths that the service answers with 404, and where each framework redirects them. */
const redirects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Next.js': { '//session': '/session', '/session//': '/session/' },
  Astro: { '/session//': '/session/' },
  SvelteKit: {},
}

/** Paths without a route, as in the contract. */
const UNKNOWN_PATHS = [
  '',
  '/',
  '//session',
  '/session//',
  '/Session',
  '/%73ession',
  '/session/x',
  '/sessio',
  '/signin/unknown',
  '/signin/passport/x',
  '/signin/__proto__',
]

const outcomes = new Map<string, string>()

describe.for(Object.entries(frameworks))('the service contract: %s', ([name, open]) => {
  let host: RunningHost

  // Building takes most of the time.
  beforeAll(async () => {
    host = await open()
  }, 120_000)

  afterAll(() => host?.[Symbol.asyncDispose]())

  test.for(serviceContract)('$name', async ({ name: what, run }) => {
    const exception = exceptions.find((row) => row.host === name && row.case === what)
    if (exception) {
      await expect(run(host)).rejects.toThrow(exception.message)
      outcomes.set(`${name}: ${what}`, 'except *')
      return
    }
    await run(host)
    outcomes.set(`${name}: ${what}`, 'ok')
  })

  test('a path without a route is 404, or redirects to the same path on this origin', async () => {
    const { origin, pathname } = new URL(host.base)
    for (const path of UNKNOWN_PATHS) {
      const response = await new Browser(host.send, host.base).visit(host.base + path)
      const location = response.headers.get('location')
      const target = redirects[name]?.[path]
      if (target === undefined) equal([response.status, location], [404, null], path)
      else equal(new URL(location ?? '', origin).href, origin + pathname + target, path)
    }
  })

  test('a page shows the signed-in user', async () => {
    const browser = new Browser(host.send, host.base)
    const page = new URL('/', host.base).href
    expect(await (await browser.visit(page)).text()).toContain('Hello, stranger')
    const redirect = await browser.submit('/signin/passport')
    await browser.visit(redirect.headers.get('location') ?? '')
    expect(await (await browser.visit(page)).text()).toContain('Hello, Person alice')
  })
})

afterAll(() => {
  const cases = serviceContract.map(({ name }) => name)
  printTable(cases, Object.keys(frameworks), (what, host) => outcomes.get(`${host}: ${what}`))
  const notes = exceptions.map((row) => `  ${row.host}: ${row.message}. ${row.why}.`)
  console.log(['* no setting of the framework changes this:', ...notes].join('\n'))
})
