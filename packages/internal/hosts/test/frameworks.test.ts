import { afterAll, beforeAll, describe } from 'vitest'
import { serveCheckedSvelteKit } from '../src/frameworks.ts'
import type { RunningHost } from '../src/hosts.ts'
import { describeFrameworks } from './support/describe-frameworks.ts'
import { describeFormActions } from './support/form-actions.ts'

describeFrameworks(['Astro', 'SvelteKit', 'React Router', 'TanStack Start', 'Nest'])

describe('SvelteKit with its check of origins', () => {
  let host: RunningHost

  beforeAll(async () => {
    host = await serveCheckedSvelteKit()
  })

  afterAll(() => host?.[Symbol.asyncDispose]())

  describeFormActions(() => host)
})
