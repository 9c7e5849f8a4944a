import { send } from '@latchkey/test-support/connection'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployments } from '../src/deployments.ts'
import { hosts } from '../src/hosts.ts'
import type { RunningHost } from '../src/hosts.ts'

// workerd answers all targets but paths with 500 itself, and prints a stack trace.
// The entries of platforms have SERVICE_URL, and two of them are called without a server.
const { 'in process': _, workerd: __, ...rest } = hosts
const networkHosts = Object.entries(rest).filter(([name]) => !(name in deployments))

describe.for(networkHosts)('the request target: %s', ([, open]) => {
  let running: RunningHost

  beforeAll(async () => {
    running = await open()
  })

  afterAll(() => running[Symbol.asyncDispose]())

  /** Requests `/providers`, whose response has the URL of the service in it. */
  function request(toTarget: (path: string) => string, host: string): Promise<string> {
    const target = toTarget(`${new URL(running.base).pathname}/providers`)
    const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close', '', '']
    return send(running.base, lines.join('\r\n'))
  }

  const own = (): string => new URL(running.base).host

  test('a path is answered', async () => {
    const answer = await request((path) => path, own())
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    expect(answer).toContain(`${running.base}/signin/passport`)
  })

  test.for([
    ['an absolute URL of another host', (path: string) => `http://evil.exam${path}`],
    ['another host after an asterisk', (path: string) => `*@evil.exam${path}`],
  ] as const)('%s is in no URL of the service', async ([, toTarget]) => {
    for (const host of [own(), 'LOCALHOST']) {
      // A framework may repeat the target in its own page for 404.
      expect(await request(toTarget, host)).not.toMatch(/(?:signin|callback)Url":"[^"]*evil\.exam/)
    }
  })

  test.for([
    ['an absolute URL', (path: string) => `http://${own()}${path}`],
    ['a host after an asterisk', (path: string) => `*@localhost${path}`],
  ] as const)('%s of loopback is not answered for another host', async ([, toTarget]) => {
    expect(await request(toTarget, 'EVIL.EXAM')).toMatch(/^HTTP\/1.1 (400|404|500) /)
  })
})
