import { expect, onTestFinished, test, vi } from 'vitest'
import worker from '../src/worker.ts'

test.each([
  [{}, 'database: must be the binding of a D1 database'],
  [
    { DB: { prepare: () => undefined }, AUTH_SECRET: 's'.repeat(32), AUTH_GITHUB_ID: 'id' },
    'AUTH_GITHUB_SECRET: is missing, but AUTH_GITHUB_ID is set',
  ],
])('settings that cannot be used: 500, and one line in the log: %#', async (env, line) => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => log.mockRestore())
  const request = new Request('https://app.example/')
  const response = await worker.fetch(request, env as never, {} as never)
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('This application is not configured. See its log.\n')
  expect(log.mock.calls).toEqual([[line]])
})
