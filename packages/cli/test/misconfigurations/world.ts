import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { listen as startServer } from '@latchkey/test-support/listen'
import type { LocalServer } from '@latchkey/test-support/listen'
import { getFreePort } from '@latchkey/test-support/servers'
import { startSmtp } from '../../../mail/test/support/smtp.ts'
import { createFolder, linkPackages } from '../support/command-line.ts'
import type { Misconfiguration } from './row.ts'

/** Servers that an application without a mistake works with, and a folder for its module. */
export interface World {
  readonly issuer: Issuer
  /** Milliseconds by which the clock of the identity provider is ahead. */
  skew: number
  /** Writes the application of a row. Returns its folder, and its variables. */
  readonly write: (row: Pick<Misconfiguration, 'env' | 'changes'>) => Project
  readonly listen: (listener: RequestListener) => Promise<string>
  readonly close: () => Promise<void>
}

export interface Project {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

const redirectUri = 'http://localhost:3000/api/auth/callback/oidc'
const client = { clientId: 'application', clientSecret: 'the-secret-of-the-client' }
const smtpUser = { user: 'latchkey', pass: 'hunter2-of-the-mail-server' }

/** The module of an application, as the manual writes it. */
const source = `import { createAuth } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { github } from '@latchkey/core/providers/github'
import { oidc } from '@latchkey/core/providers/oidc'
import { smtp } from '@latchkey/mail/smtp'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'

export const logged = []
const write = (message, details = {}) => logged.push([message, ...(details.causes ?? [])].join(': '))
const storage = nodeSqliteStorage(process.env['AUTH_DATABASE'] ?? '')
await storage.migrate()
const mailer = smtp(process.env['AUTH_EMAIL_SERVER'] ?? '')

export const auth = createAuth({
  serviceUrl: process.env['SERVICE_URL'] || undefined,
  secret: process.env['AUTH_SECRET'] ?? '',
  storage,
  providers: [
    oidc({
      id: 'oidc',
      name: 'Company',
      issuer: process.env['AUTH_OIDC_ISSUER'] ?? '',
      clientId: process.env['AUTH_OIDC_ID'] ?? '',
      clientSecret: process.env['AUTH_OIDC_SECRET'] ?? '',
    }),
    email({ mailer, from: process.env['AUTH_EMAIL_FROM'] ?? '' }),
  ],
  logger: { error: write, warn: write },
})
`

export async function createWorld(): Promise<World> {
  const { folder, remove } = createFolder()
  linkOtherPackages(folder)
  const servers: LocalServer[] = []
  const smtp = await startSmtp({ auth: smtpUser })
  const listen = async (listener: RequestListener, port = 0): Promise<string> => {
    const server = await startServer(listener, { host: 'localhost', port })
    servers.push(server)
    return server.origin
  }
  const port = await getFreePort('localhost')
  const issuer = createIssuer({
    issuer: `http://localhost:${port}`,
    ...client,
    now: () => Date.now() + world.skew,
  })
  const env = {
    SERVICE_URL: 'http://localhost:3000',
    AUTH_SECRET: '9XJ28aN1G6JkPocLlYYqUzLommj05yaTo4DqAuhJsOM',
    AUTH_OIDC_ISSUER: issuer.issuer,
    AUTH_OIDC_ID: client.clientId,
    AUTH_OIDC_SECRET: client.clientSecret,
    AUTH_EMAIL_SERVER: `smtp://${smtpUser.user}:${smtpUser.pass}@127.0.0.1:${smtp.port}`,
    AUTH_EMAIL_FROM: 'Example <sign-in@example.com>',
  }
  const world: World = {
    issuer,
    skew: 0,
    listen,
    write: (row) => writeProject(folder, env, row),
    async close() {
      for (const server of servers) await server.stop()
      await smtp.close()
      remove()
    },
  }
  await listen(createProvider(world), port)
  return world
}

/** Packages of applications that the command line does not depend on: they are found above each project. */
function linkOtherPackages(folder: string): void {
  const scope = join(folder, 'node_modules/@latchkey')
  mkdirSync(scope, { recursive: true })
  for (const name of ['durable-objects', 'passkeys'])
    symlinkSync(resolve(import.meta.dirname, '../../../', name), join(scope, name))
}

let projects = 0

function writeProject(
  parent: string,
  env: Readonly<Record<string, string>>,
  { env: changed = {}, changes = [] }: Pick<Misconfiguration, 'env' | 'changes'>,
): Project {
  const folder = join(parent, String(++projects))
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  let module = source
  for (const [from, to] of changes) {
    if (!module.includes(from)) throw new Error(`the module does not contain ${from}`)
    module = module.replace(from, () => to)
  }
  writeFileSync(join(folder, 'src/auth.ts'), module)
  linkPackages(folder)
  const variables: Readonly<Record<string, string>> = {
    AUTH_DATABASE: join(folder, 'users.sqlite'),
    ...env,
    ...changed,
  }
  const server = (variables['AUTH_EMAIL_SERVER'] ?? '').replace(
    '<another password>',
    env['AUTH_EMAIL_SERVER']?.replace(smtpUser.pass, 'mistyped-password') ?? '',
  )
  return { folder, env: { ...variables, AUTH_EMAIL_SERVER: server } }
}

/** The identity provider over HTTP. Its page refuses other clients and redirect URIs, as providers do. */
function createProvider(world: World): RequestListener {
  return (request, response) => {
    const answer = async (): Promise<void> => {
      const url = new URL(request.url ?? '/', world.issuer.issuer)
      response.setHeader('date', new Date(Date.now() + world.skew).toUTCString())
      const problem = url.searchParams.has('redirect_uri') ? findProblem(url) : undefined
      if (problem !== undefined) return void response.writeHead(400).end(`<p>${problem}</p>`)
      if (url.searchParams.has('redirect_uri')) return void response.end('<p>Sign in</p>')
      const { method = 'GET' } = request
      const headers = new Headers(request.headers as Record<string, string>)
      const body = method === 'POST' ? { body: new URLSearchParams(await text(request)) } : {}
      const reply = await world.issuer.fetch(url.href, { method, headers, ...body })
      response.writeHead(reply.status, Object.fromEntries(reply.headers))
      response.end(await reply.text())
    }
    void answer()
  }
}

function findProblem({ searchParams }: URL): string | undefined {
  if (searchParams.get('client_id') !== client.clientId)
    return 'invalid_client: client is not known'
  if (searchParams.get('redirect_uri') === redirectUri) return undefined
  return 'redirect_uri is not registered for this client'
}
