import { expect, onTestFinished, test, vi } from 'vitest'
import { serviceOf } from '../src/service.ts'
import { startDiscovery } from './support/discovery.ts'
import type { Discovery } from './support/discovery.ts'
import { variables } from './support/provider.ts'
import { RunningWorker } from './support/running-worker.ts'

async function start(): Promise<{ worker: RunningWorker; provider: Discovery }> {
  const provider = await startDiscovery()
  const worker = await RunningWorker.start({ vars: variables(provider) })
  onTestFinished(async () => {
    await worker[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })
  return { worker, provider }
}

test('an isolate has one service, which asks a provider once where it is', async () => {
  const { worker, provider } = await start()
  for (let i = 0; i < 3; i++) {
    const response = await worker.browse().submit('/signin/oidc')
    expect(response.headers.get('location')).toContain(`${provider.issuer}/auth?`)
  }
  expect(provider.asked()).toBe(1)
})

test('its first requests may all come at once', async () => {
  const { worker } = await start()
  const browsers = Array.from({ length: 40 }, () => worker.browse())
  const statuses = browsers.map(async (each) => (await each.submit('/signin/oidc')).status)
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([302]))
})

// On Workers a promise belongs to the request that made it: nobody else may wait for it.
test('a request waits for no other: each asks the provider by itself until one has heard', async () => {
  const { worker, provider } = await start()
  provider.hold()
  const submit = (): Promise<Response> => worker.browse().submit('/signin/oidc')
  const both = [submit(), submit()]
  await vi.waitFor(() => expect(provider.asked()).toBe(2), { timeout: 5000 })
  provider.release()
  for (const response of await Promise.all(both)) expect(response.status).toBe(302)
})

test('each environment has a service of its own', () => {
  const env = {
    AUTH_SECRET: 'a secret of thirty-two bytes or more for one environment',
    AUTH_DATABASE: 'none',
    AUTH_GITHUB_ID: 'id',
    AUTH_GITHUB_SECRET: 'secret',
  }
  expect(serviceOf(env)).toBe(serviceOf(env))
  expect(serviceOf({ ...env })).not.toBe(serviceOf(env))
})
