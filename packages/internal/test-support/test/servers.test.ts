import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
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

test('no two processes get the same free port while both run', async () => {
  const times = 300
  const program = `
    import { getFreePort } from ${JSON.stringify(new URL('../src/servers.ts', import.meta.url))}
    const ports = []
    for (let i = 0; i < ${times}; i++) ports.push(await getFreePort())
    console.log(JSON.stringify(ports))
    process.stdin.resume()`
  const args = ['--input-type=module', '--eval', program]
  const runs = [1, 2].map(() => promisify(execFile)(process.execPath, args))
  const outputs = runs.map(async ({ child }) => {
    child.stdout?.setEncoding('utf8')
    let text = ''
    for await (const chunk of child.stdout ?? []) if ((text += String(chunk)).includes(']')) break
    return JSON.parse(text) as number[]
  })
  const ports = (await Promise.all(outputs)).flat()
  for (const { child } of runs) child.stdin?.end()
  expect(new Set(ports).size).toBe(2 * times)
})
