/** One of several processes that share a database: `DATABASE` is the file, `MAX_AGE` the lifetime of sessions. */
import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Provider, UntypedToken } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { email } from '@latchkey/core/providers/email'
import { resealFactors } from '@latchkey/core/reseal-factors'
import { secondFactor } from '@latchkey/core/second-factor'
import { createListener, createReloadable, listen } from '@latchkey/node'
import type { Generation } from '@latchkey/node'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { recoveryCodes, totp } from '@latchkey/totp'
import { strategies, toServiceUrl } from './messages.ts'
import type { Command, Report, Strategy } from './messages.ts'

const { DATABASE = '', SECRET = '', MAX_AGE = '' } = process.env
const storage = nodeSqliteStorage(DATABASE, { factors: sqlFactors() })
await storage.migrate()
let offset = 0
const now = (): number => Date.now() + offset * 1000

/** Signs in the subject that the callback names, without a protocol. */
const passport: Provider = {
  id: 'passport',
  name: 'Passport',
  type: 'oauth',
  async begin({ state, redirectUri }) {
    const redirect = new URL(redirectUri)
    redirect.searchParams.set('state', state ?? '')
    return { redirect, flow: {} }
  },
  async finish({ params }) {
    const subject = params.get('code') ?? ''
    return {
      subject,
      profile: { name: subject, email: `${subject}@soak.example`, emailVerified: true },
      emailProven: true,
      tokens: {},
      claims: {},
      authentication: { authenticatedAt: Math.floor(now() / 1000), methods: ['fed'] },
    }
  },
  linkByVerifiedEmail: true,
}

const mail = email({
  from: 'soak@app.example',
  code: true,
  mailer: {
    send: async ({ to, text }) => send({ type: 'mail', address: to.address, text }),
  },
})

const sessions: Readonly<Record<Strategy, AuthConfig['session']>> = {
  stored: { strategy: 'storage' },
  revocable: { strategy: 'cookie', revocable: true },
  cookie: { strategy: 'cookie', acceptsDeletedUsers: true },
}

/** All clients come from one IP address. */
const limits = {
  startsPerClient: false,
  callbacksPerClient: false,
  mailsPerClient: false,
  mailsPerAddress: false,
} as const

function createService(strategy: Strategy, secret: readonly string[]): Auth {
  return createAuth({
    serviceUrl: toServiceUrl(strategy),
    secret,
    storage,
    providers: [passport, mail],
    session: {
      ...sessions[strategy],
      maxAge: Number(MAX_AGE),
      update: ({ token, data }) => ({ ...token, note: Number(data) }),
    },
    callbacks: {
      jwt: ({ token }): UntypedToken => ({ ...token }),
      session: ({ session, token }) => ({ ...session, note: token['note'] ?? 0 }),
    },
    ...(strategy !== 'cookie' && {
      confirmation: confirmation(),
      secondFactor: secondFactor({ methods: [totp(), recoveryCodes()] }),
    }),
    limits,
    runtime: { now },
    logger: { error: (...line) => console.error(...line), warn: () => undefined },
  })
}

/** The services of this process with a list of secrets. */
interface Services extends Generation {
  readonly auths: ReadonlyMap<Strategy, Auth>
}

function createServices(secrets: readonly string[]): Services {
  const auths = new Map(strategies.map((name) => [name, createService(name, secrets)] as const))
  return {
    auths,
    async handler(request, options) {
      const { pathname } = new URL(request.url)
      const auth = strategies.find((name) => pathname.startsWith(`/${name}/`))
      const handle = auth && auths.get(auth)?.handle
      return handle ? handle(request, options) : new Response(null, { status: 404 })
    },
    close: async () => undefined,
  }
}

function send(report: Report): void {
  process.send?.(report)
}

let services = createServices([SECRET])
const reloadable = createReloadable(services)

async function obey(command: Command): Promise<Report> {
  if (command.type === 'clock') offset = command.offset
  if (command.type === 'secrets') {
    services = createServices(command.secrets)
    // Requests in progress keep the previous secrets.
    void reloadable.replace(services)
  }
  if (command.type === 'reseal') {
    const auth = services.auths.get('stored')
    if (!auth) throw new Error('expected a service with second factors')
    const { resealed, unreadable } = await resealFactors(auth)
    return { type: 'resealed', resealed, unreadable: unreadable.length }
  }
  return { type: 'done' }
}

process.on('message', (command: Command) => void obey(command).then(send))
process.on('disconnect', () => process.exit())
const server = await listen(createListener(reloadable.handler), { host: '127.0.0.1', port: 0 })
send({ type: 'ready', url: server.url })
