import { afterEach, expect, test, vi } from 'vitest'
import { getFreePort, isReachable } from '../src/servers.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test('a missing server is named, and its tests are left out', async () => {
  vi.stubEnv('CI', undefined)
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const port = await getFreePort()
  expect(await isReachable('Redis', `redis://127.0.0.1:${port}`)).toBe(false)
  expect(warn).toHaveBeenCalledExactlyOnceWith(`missing, not tested: Redis at 127.0.0.1:${port}`)
})

test('a missing server fails the tests in CI', async () => {
  vi.stubEnv('CI', 'true')
  const port = await getFreePort()
  await expect(isReachable('Redis', `redis://127.0.0.1:${port}`)).rejects.toThrow(
    `missing, not tested: Redis at 127.0.0.1:${port}`,
  )
})
