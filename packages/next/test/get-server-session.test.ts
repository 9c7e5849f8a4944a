import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { getServerSession } from '../src/index.ts'
import { origin } from '../../core/test/support/service.ts'
import { signInCookie, startNext } from './support/service.ts'

const DAY = 86_400

/** Creates request and response of a page, as `getServerSideProps` gets them. */
function createPage(cookie: string | undefined, method = 'GET'): [IncomingMessage, ServerResponse] {
  const req = new IncomingMessage(new Socket())
  Object.assign(req, { method, url: '/page', headers: { host: new URL(origin).host, cookie } })
  return [req, new ServerResponse(req)]
}

describe('getServerSession(req, res, next)', () => {
  test('returns the session, and null without one', async () => {
    const service = startNext()
    const [req, res] = createPage(await signInCookie(service))
    const session = await getServerSession(req, res, service.next)
    expect(session?.user.name).toBe('Person alice')
    expect(res.getHeaders()).toEqual({})
    expect(await getServerSession(...createPage(undefined), service.next)).toBeNull()
  })

  test('renews a session that is due, beside the cookies of the application (I-35)', async () => {
    const service = startNext()
    const [req, res] = createPage(await signInCookie(service))
    service.wait(2 * DAY)
    res.setHeader('set-cookie', 'mine=1')
    expect(await getServerSession(req, res, service.next)).not.toBeNull()
    const cookies = [res.getHeader('set-cookie')].flat()
    expect(cookies).toEqual(['mine=1', expect.stringMatching(/^__Host-latchkey\.session=/)])
    expect(res.getHeader('cache-control')).toBe('private, no-store')
  })

  test('renews nothing for HEAD, or after the headers are sent', async () => {
    const service = startNext()
    const cookie = await signInCookie(service)
    service.wait(2 * DAY)
    const [head, headResponse] = createPage(cookie, 'HEAD')
    expect(await getServerSession(head, headResponse, service.next)).not.toBeNull()
    expect(headResponse.getHeaders()).toEqual({})
    const [req, res] = createPage(cookie)
    res.flushHeaders()
    expect(await getServerSession(req, res, service.next)).not.toBeNull()
    expect(res.getHeaders()).toEqual({})
  })
})
