import { trace } from '@opentelemetry/api'
import { latchkey } from '@latchkey/hono'
import { Browser, signInAtIssuer } from '@latchkey/testing'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { describeSpan, registerSdk } from './support/sdk.ts'
import { base, serve } from './support/service.ts'

describe('in a Hono application', () => {
  test('a sign-in has its spans, and reading the session has the spans of the storage', async () => {
    const sdk = registerSdk()
    const { auth, issuer } = serve({ session: { strategy: 'storage' } })
    const app = new Hono()
      .use(latchkey(auth))
      .get('/account', async (c) => c.text((await c.var.session())?.user.name ?? 'no user'))
    const browser = new Browser(async (request) => app.fetch(request), base)
    expect((await signInAtIssuer(browser, issuer)).status).toBe(302)
    const spans = sdk.spans()
    expect(spans.map((span) => describeSpan(span, spans))).toEqual(
      expect.arrayContaining([
        { kind: 'SERVER', name: 'GET /api/auth/callback/:provider', parent: undefined },
        { kind: 'CLIENT', name: 'createUser', parent: 'GET /api/auth/callback/:provider' },
      ]),
    )
    const account = await browser.visit('https://app.example/account')
    expect(await account.text()).toBe('Alice')
    expect(sdk.spans().at(-1)?.name).toBe('getSessionAndUser')
  })

  test('a span of a middleware is the parent of all of them', async () => {
    const sdk = registerSdk()
    const { auth, issuer } = serve()
    const tracer = trace.getTracer('the application')
    const app = new Hono()
      .use((c, next) =>
        tracer.startActiveSpan(`${c.req.method} *`, async (span) => {
          await next()
          span.end()
        }),
      )
      .use(latchkey(auth))
    const browser = new Browser(async (request) => app.fetch(request), base)
    expect((await signInAtIssuer(browser, issuer)).status).toBe(302)
    const spans = sdk.spans()
    expect(spans.map((span) => describeSpan(span, spans))).toContainEqual({
      kind: 'INTERNAL',
      name: 'GET /api/auth/callback/:provider',
      parent: 'GET *',
    })
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(3)
  })
})
