/** Processes of the service behind nginx, over one database that is reached through a proxy. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNginx } from '@latchkey/test-support/nginx'
import { startProxy } from '@latchkey/test-support/proxy'
import type { Proxy } from '@latchkey/test-support/proxy'
import { acceptsConnections, getFreePort } from '@latchkey/test-support/servers'
import type { Engine } from './engines.ts'
import { startMailbox } from './mailbox.ts'
import type { Mailbox } from './mailbox.ts'

/** What clients and faults act on. */
export interface Cluster extends AsyncDisposable {
  /** The URL of the service, at nginx. */
  readonly url: string
  readonly engine: Engine
  readonly database: Proxy
  readonly mailbox: Mailbox
  /** Kills one process, and starts another in its place. */
  readonly killProcess: (index: number) => Promise<void>
  readonly size: number
}

/** Starts as many processes with a driver. */
export async function startCluster(
  engine: Engine,
  { driver, processes }: { readonly driver: string; readonly processes: number },
): Promise<Cluster> {
  const database = await startProxy(engine.url, Number(new URL(engine.url).port))
  const mailbox = await startMailbox()
  const ports = await Promise.all(Array.from({ length: processes }, () => getFreePort()))
  const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`)
  const nginx = await startNginx(directives, `upstream service { ${servers.join(' ')} }`)
  const env = {
    SERVICE_URL: nginx.url,
    DATABASE: database.url,
    DRIVER: driver,
    MAIL_URL: mailbox.url,
  }
  const children = await Promise.all(ports.map((port) => startProcess(env, port)))
  return {
    url: nginx.url,
    engine,
    database,
    mailbox,
    size: processes,
    async killProcess(index) {
      const child = children[index]
      if (!child?.kill('SIGKILL')) throw new Error(`process ${index} does not run`)
      await once(child, 'exit')
      children[index] = await startProcess(env, ports[index] ?? 0)
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      await nginx[Symbol.asyncDispose]()
      database.stop()
      await mailbox.stop()
    },
  }
}

/** nginx as the manual configures it. */
const directives = `
  location / {
    proxy_pass http://service;
    proxy_set_header Host $http_host;
    proxy_buffer_size 16k;
    proxy_buffers 8 16k;
    proxy_connect_timeout 2s;
    proxy_read_timeout 20s;
  }`

async function startProcess(
  env: Readonly<Record<string, string>>,
  port: number,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [`${import.meta.dirname}/service.ts`], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (!(await acceptsConnections('127.0.0.1', port))) {
    // Without its database a process does not start: what supervises it tries again.
    if (child.exitCode !== null || child.signalCode !== null) return startProcess(env, port)
    await sleep(50)
  }
  return child
}
