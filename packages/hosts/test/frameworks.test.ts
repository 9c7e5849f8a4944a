import { equal } from '@latchkey/core/testing/equal'
import { Browser } from '@latchkey/core/testing/browser'
import { serviceContract } from '@latchkey/core/testing/service-contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { frameworks } from '../src/frameworks.ts'
import type { OpenHost } from '../src/hosts.ts'
import { printTable } from '../src/table.ts'

/** What a framework does before the service is asked, and no setting turns off. */
interface Exception {
  readonly host: string
  /** The case that cannot pass there. */
  readonly case: string
  /** How it fails. */
  readonly message: string
  readonly why: string
}

const PATHS = 'paths are compared raw, exactly, with one trailing slash allowed (I-3)'

const exceptions: readonly Exception[] = [
  {
    host: 'Next.js',
    case: PATHS,
    message: '//session: expected 404, found 308',
    why: 'Next redirects addresses with repeated slashes to those without, before any route',
  },
  {
    host: 'Astro',
    case: PATHS,
    message: '/session//: expected 404, found 301',
    why: 'Astro redirects addresses with repeated slashes at the end to those with one',
  },
]

/** What the service would have said 404 to: where each framework leads instead. */
const redirects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Next.js': { '//session': '/session', '/session//': '/session/' },
  Astro: { '/session//': '/session/' },
  SvelteKit: {},
}

/** What is no route, as in the contract. */
const NOWHERE = [
  '',
  '/',
  '//session',
  '/session//',
  '/Session',
  '/%73ession',
  '/session/x',
  '/sessio',
  '/signin/nobody',
  '/signin/passport/x',
  '/signin/__proto__',
]

const outcomes = new Map<string, string>()

describe.for(Object.entries(frameworks))('the service contract: %s', ([name, open]) => {
  let host: OpenHost

  // A build, and a start.
  beforeAll(async () => {
    host = await open()
  }, 120_000)

  afterAll(() => host?.[Symbol.asyncDispose]())

  test.for(serviceContract)('$name', async ({ name: what, run }) => {
    const exception = exceptions.find((row) => row.host === name && row.case === what)
    if (exception) {
      await expect(run(host)).rejects.toThrow(exception.message)
      outcomes.set(`${name}: ${what}`, 'but *')
      return
    }
    await run(host)
    outcomes.set(`${name}: ${what}`, 'ok')
  })

  test('what is no route is 404, or leads to the same address on this origin', async () => {
    const { origin, pathname } = new URL(host.base)
    for (const path of NOWHERE) {
      const response = await new Browser(host.send, host.base).visit(host.base + path)
      const location = response.headers.get('location')
      const target = redirects[name]?.[path]
      if (target === undefined) equal([response.status, location], [404, null], path)
      else equal(new URL(location ?? '', origin).href, origin + pathname + target, path)
    }
  })

  test('a page knows who is signed in', async () => {
    const browser = new Browser(host.send, host.base)
    const page = new URL('/', host.base).href
    expect(await (await browser.visit(page)).text()).toContain('Hello, stranger')
    const away = await browser.submit('/signin/passport')
    await browser.visit(away.headers.get('location') ?? '')
    expect(await (await browser.visit(page)).text()).toContain('Hello, Person alice')
  })
})

afterAll(() => {
  const cases = serviceContract.map(({ name }) => name)
  printTable(cases, Object.keys(frameworks), (what, host) => outcomes.get(`${host}: ${what}`))
  const notes = exceptions.map((row) => `  ${row.host}: ${row.message}. ${row.why}.`)
  console.log(['* what no setting of the framework can change:', ...notes].join('\n'))
})
