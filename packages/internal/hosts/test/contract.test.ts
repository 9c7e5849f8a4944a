import { serviceContract } from '@latchkey/core/testing/service-contract'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { hosts } from '../src/hosts.ts'
import type { RunningHost } from '../src/hosts.ts'
import { printTable } from '../src/table.ts'

const outcomes = new Map<string, string>()

describe.for(Object.entries(hosts))('the service contract: %s', ([name, open]) => {
  let host: RunningHost

  beforeAll(async () => {
    host = await open()
  })

  afterAll(() => host[Symbol.asyncDispose]())

  test.for(serviceContract)('$name', async ({ name: what, run }) => {
    await run(host)
    outcomes.set(`${name}: ${what}`, 'ok')
  })
})

afterAll(() => {
  const cases = serviceContract.map(({ name }) => name)
  printTable(cases, Object.keys(hosts), (what, host) => outcomes.get(`${host}: ${what}`))
})
