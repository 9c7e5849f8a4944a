import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams as Command } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { deviceFlow, openId, programs } from '@latchkey/authorization-server'
import { serveHandler } from '@latchkey/test-support/listen'
import { findProgram } from '@latchkey/test-support/system-program'
import { Browser } from '@latchkey/testing/browser'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { decodeJwt } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { signIn } from '../../core/test/support/service.ts'
import { approve, tool } from './support/device.ts'
import { serve } from './support/server.ts'
import type { TestServer } from './support/server.ts'

const program = findProgram('oidc-agent', ['/usr/bin/oidc-agent'])
const scopes = ['openid', 'offline_access', 'notes:read']

/** Serves an OpenID provider with the device flow on a port of 127.0.0.1, in real time. */
async function provide(): Promise<{ readonly server: TestServer; readonly issuer: string }> {
  const answer = (request: Request): Promise<Response> =>
    programs(server.auth, request) ?? server.auth.handle(request)
  const { origin, stop } = await serveHandler((request) => answer(request))
  onTestFinished(stop)
  const server = serve({
    otherKeys: [await generateTokenKey('RS256')],
    config: { serviceUrl: origin },
    server: {
      device: deviceFlow(),
      openid: openId(),
      clients: [{ ...tool, deviceScopes: scopes }],
    },
  })
  const clock = setInterval(() => server.wait(1), 1000)
  onTestFinished(() => clearInterval(clock))
  return { server, issuer: `${origin}/api/auth` }
}

/** Starts the agent, which keeps its accounts in an empty folder, and returns a function that runs its commands. */
async function startAgent(): Promise<(name: string, args: readonly string[]) => Command> {
  const folder = mkdtempSync(join(tmpdir(), 'oidc-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { PATH } = process.env
  const env: NodeJS.ProcessEnv = {
    PATH,
    HOME: folder,
    OIDC_CONFIG_DIR: folder,
    OIDC_PW: 'password',
  }
  const started = await text(spawn(program ?? '', { env }).stdout)
  const [, socket, pid] = /OIDC_SOCK=(.*?);[^]*OIDCD_PID=(\d+)/.exec(started) ?? []
  onTestFinished(() => void process.kill(Number(pid)))
  const run = (name: string, args: readonly string[]): Command =>
    spawn(name, args, { env: { ...env, OIDC_SOCK: socket } })
  // What has printed the path of the socket does not wait until the agent listens there.
  const getStatus = (): Promise<string> => text(run('oidc-agent', ['--status']).stdout)
  await expect.poll(getStatus, { timeout: 20_000 }).toContain('is running')
  return run
}

/** Waits for what a command writes, and returns it. */
function readUntil(command: Command, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += String(chunk)
      const [found] = pattern.exec(output) ?? []
      if (found !== undefined) resolve(found)
    }
    command.stdout.on('data', read)
    command.stderr.on('data', read)
    command.on('close', () => reject(new Error(output)))
  })
}

test.runIf(program)('oidc-agent gets tokens by the device flow, and refreshes (I-68)', async () => {
  const { server, issuer } = await provide()
  const run = await startAgent()
  const account = ['--pw-env=OIDC_PW', '--prompt=none', '--confirm-default']
  const generated = run('oidc-gen', [
    ...account,
    '--manual',
    '--flow=device',
    `--issuer=${issuer}`,
    `--client-id=${tool.id}`,
    '--client-secret=',
    `--scope=${scopes.join(' ')}`,
    '--no-url-call',
    'notes',
  ])
  const [code, done] = [
    readUntil(generated, /[A-Z]{4}-[A-Z]{4}/),
    readUntil(generated, /Everything setup correctly/),
  ]
  const browser = new Browser((request) => server.auth.handle(request), issuer)
  await signIn(browser)
  await approve(browser, await code)
  await done
  const getToken = (): Promise<string> => text(run('oidc-token', ['--force-new', 'notes']).stdout)
  const [first, second] = [await getToken(), await getToken()]
  expect(decodeJwt(second)).toMatchObject({ client_id: tool.id, scope: scopes.join(' ') })
  expect(second).not.toBe(first)
})
