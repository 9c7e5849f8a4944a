import { programsCase } from '@latchkey/testing/contract-programs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { hosts } from '../src/hosts.ts'
import type { RunningHost } from '../src/hosts.ts'
import { describeContract } from './support/framework-contract.ts'

describe.for(Object.entries(hosts))('%s', ([, open]) => {
  let host: RunningHost

  beforeAll(async () => {
    host = await open()
  })

  afterAll(() => host[Symbol.asyncDispose]())

  describeContract(() => host)

  test(programsCase.name, () => programsCase.run(host))
})
