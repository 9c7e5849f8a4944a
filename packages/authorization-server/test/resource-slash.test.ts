import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import {
  browseAs,
  createPkce,
  getCode,
  readError,
  readTokens,
  refresh,
  serve,
  toAuthorize,
} from './support/server.ts'
import type { TestServer } from './support/server.ts'

const bare = 'https://mcp.example'
const scopes = { 'notes:read': { en: 'Read your notes' } }

function serveResource(url: string): TestServer {
  return serve({ server: { resources: { [url]: { scopes } } } })
}

test.each([
  [bare, `${bare}/`],
  [`${bare}/`, bare],
])('a resource %s without a path is asked for as %s too (I-65.4)', async (url, asked) => {
  const server = serveResource(url)
  const { fields } = await getCode(await browseAs(server), { resource: asked })
  const first = await readTokens(await server.post('/oauth/token', { ...fields, resource: asked }))
  expect(decodeJwt(first.access_token).aud).toBe(url)
  const next = await readTokens(await refresh(server, first.refresh_token, { resource: asked }))
  expect(decodeJwt(next.access_token).aud).toBe(url)
  const other = await refresh(server, next.refresh_token, { resource: `${bare}//` })
  expect(await readError(other)).toEqual([400, 'invalid_target'])
})

test('a path is compared with its slash', async () => {
  const server = serveResource(`${bare}/mcp`)
  const { challenge } = createPkce()
  const ask = async (resource: string): Promise<string | null> => {
    const browser = await browseAs(server)
    const reply = await browser.visit(toAuthorize(challenge, { resource }))
    return new URL(reply.headers.get('location') ?? '').searchParams.get('error')
  }
  expect(await ask(`${bare}/mcp`)).toBe(null)
  expect(await ask(`${bare}/mcp/`)).toBe('invalid_target')
})

test('one resource cannot be configured twice', () => {
  const resources = { [bare]: { scopes }, [`${bare}/`]: { scopes } }
  expect(() => serve({ server: { resources } })).toThrow(/resources\["https:\/\/mcp.example\/"\]/)
})
