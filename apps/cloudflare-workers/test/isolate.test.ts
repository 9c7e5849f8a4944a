import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { getService } from '../src/service.ts'
import { startDiscovery } from './support/discovery.ts'
import type { Discovery } from './support/discovery.ts'
import { createVariables } from './support/provider.ts'
import { RunningWorker } from './support/running-worker.ts'

async function start(): Promise<{ worker: RunningWorker; provider: Discovery }> {
  const provider = await startDiscovery()
  const worker = await RunningWorker.start({ vars: createVariables(provider) })
  onTestFinished(async () => {
    await worker[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })
  return { worker, provider }
}

test('an isolate has one service, which discovers a provider once', async () => {
  const { worker, provider } = await start()
  for (let i = 0; i < 3; i++) {
    const response = await worker.createBrowser().submit('/signin/oidc')
    expect(response.headers.get('location')).toContain(`${provider.issuer}/auth?`)
  }
  expect(provider.getRequestCount()).toBe(1)
})

test('an isolate that has just started takes metadata from KV', async () => {
  const provider = await startDiscovery()
  const kv = mkdtempSync(join(tmpdir(), 'latchkey-kv-'))
  onTestFinished(async () => {
    await provider[Symbol.asyncDispose]()
    rmSync(kv, { recursive: true })
  })
  for (let i = 0; i < 2; i++) {
    await using worker = await RunningWorker.start({ vars: createVariables(provider), kv })
    const response = await worker.createBrowser().submit('/signin/oidc')
    expect(response.headers.get('location')).toContain(`${provider.issuer}/auth?`)
    await worker.waitForKey() // The reply does not wait for it.
  }
  expect(provider.getRequestCount()).toBe(1)
})

test('its first requests can be concurrent', async () => {
  const { worker } = await start()
  const browsers = Array.from({ length: 40 }, () => worker.createBrowser())
  const statuses = browsers.map(async (each) => (await each.submit('/signin/oidc')).status)
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([302]))
})

// On Workers a promise belongs to the request that created it: other requests must not await it.
test('a request does not await a promise of another request, and the provider is still discovered once', async () => {
  const { worker, provider } = await start()
  provider.hold()
  const submit = (): Promise<Response> => worker.createBrowser().submit('/signin/oidc')
  const first = submit()
  await expect.poll(() => provider.getRequestCount()).toBe(1)
  const second = submit()
  await setTimeout(500)
  provider.release()
  for (const response of await Promise.all([first, second])) expect(response.status).toBe(302)
  expect(provider.getRequestCount()).toBe(1)
})

test('each environment has its own service', () => {
  const env = {
    AUTH_SECRET: 'a secret of thirty-two bytes or more for one environment',
    AUTH_DATABASE: 'none',
    AUTH_GITHUB_ID: 'id',
    AUTH_GITHUB_SECRET: 'secret',
  }
  expect(getService(env)).toBe(getService(env))
  expect(getService({ ...env })).not.toBe(getService(env))
})
