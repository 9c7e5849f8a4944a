import type { AuthorizationServerOptions, GrantRequest } from '@latchkey/authorization-server'
import { describe, expect, test } from 'vitest'
import {
  browseAs,
  getCode,
  notes,
  readError,
  readTokens,
  refresh,
  serve,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const both = 'notes:read notes:write'

/** What the application answers, and what it was asked. */
interface Application {
  answer: NonNullable<AuthorizationServerOptions['grant']>
  readonly asked: GrantRequest[]
}

function serveDecided(): { readonly server: TestServer; readonly application: Application } {
  const application: Application = { answer: ({ scopes }) => scopes, asked: [] }
  const server = serve({
    server: {
      grant(request) {
        application.asked.push(request)
        return application.answer(request)
      },
    },
  })
  return { server, application }
}

const ask = async (server: TestServer): Promise<Readonly<Record<string, string>>> =>
  (await getCode(await browseAs(server), { scope: both })).fields

describe('the option grant (I-66.11)', () => {
  test('is asked for the first tokens and at each refresh', async () => {
    const { server, application } = serveDecided()
    const tokens = await readTokens(await server.post('/oauth/token', await ask(server)))
    expect(tokens.scope).toBe(both)
    await readTokens(await refresh(server, tokens.refresh_token))
    expect(application.asked).toMatchObject(
      [true, false].map((isFirst) => ({
        client: { id: 'notes-app' },
        resource: notes,
        scopes: both.split(' '),
        isFirst,
      })),
    )
  })

  test('narrows one access token, and never widens', async () => {
    const { server, application } = serveDecided()
    application.answer = () => ['notes:read', 'mail:read']
    const tokens = await readTokens(await server.post('/oauth/token', await ask(server)))
    expect(tokens.scope).toBe('notes:read')
    application.answer = ({ scopes }) => scopes
    const next = await readTokens(await refresh(server, tokens.refresh_token))
    expect(next.scope).toBe(both)
    application.answer = () => both.split(' ')
    const less = await refresh(server, next.refresh_token, { scope: 'notes:read' })
    expect((await readTokens(less)).scope).toBe('notes:read')
  })

  test.each([false, []] as const)('refuses by %j: the grant ends', async (answer) => {
    const { server, application } = serveDecided()
    const tokens = await readTokens(await server.post('/oauth/token', await ask(server)))
    const waiting = await ask(server)
    application.answer = () => answer
    const refused = await refresh(server, tokens.refresh_token)
    expect(await readError(refused)).toEqual([400, 'invalid_grant'])
    const code = await server.post('/oauth/token', waiting)
    expect(await readError(code)).toEqual([400, 'invalid_grant'])
    application.answer = ({ scopes }) => scopes
    const again = await refresh(server, tokens.refresh_token)
    expect(await readError(again)).toEqual([400, 'invalid_grant'])
    const user = await server.storage.getUserByAccount('passport', 'alice')
    expect(await server.auth.grants.list(user?.id ?? '')).toEqual([])
  })

  test('uses up nothing and ends nothing if it throws, or returns something else', async () => {
    const { server, application } = serveDecided()
    const fields = await ask(server)
    const works = application.answer
    for (const wrong of [() => Promise.reject(new Error('down')), () => true as never]) {
      application.answer = wrong
      expect(await readError(await server.post('/oauth/token', fields))).toEqual([
        500,
        'server_error',
      ])
    }
    application.answer = works
    const tokens = await readTokens(await server.post('/oauth/token', fields))
    application.answer = () => Promise.reject(new Error('down'))
    expect((await refresh(server, tokens.refresh_token)).status).toBe(500)
    application.answer = works
    expect((await refresh(server, tokens.refresh_token)).status).toBe(200)
    expect(server.lines.filter(({ level }) => level === 'error')).toHaveLength(3)
  })
})
