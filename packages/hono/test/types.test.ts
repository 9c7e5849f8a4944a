import type { Auth, DefaultSession } from '@latchkey/core'
import { createAuth } from '@latchkey/core'
import { Hono } from 'hono'
import { createFactory } from 'hono/factory'
import { describe, expectTypeOf, test } from 'vitest'
import { passport, secret } from '../../core/test/support/service.ts'
import { latchkey, requireSession } from '../src/index.ts'
import type { InferSession, LatchkeyEnv, LatchkeyVariables } from '../src/index.ts'

const auth = createAuth({
  secret,
  providers: [passport()],
  callbacks: { session: ({ session, token }) => ({ id: token.sub, until: session.expires }) },
})
type Mine = { id: string; until: string }
const plain = createAuth({ secret, providers: [passport()] })

describe('the type of the session', () => {
  test('is the return type of callbacks.session', () => {
    expectTypeOf<InferSession<typeof auth>>().toEqualTypeOf<Mine>()
    expectTypeOf<InferSession<typeof plain>>().toEqualTypeOf<DefaultSession>()
    expectTypeOf<InferSession<Auth>>().toEqualTypeOf<DefaultSession>()
  })

  test('is known in every handler after latchkey', () => {
    new Hono().use(latchkey(auth)).get('/', async (c) => {
      expectTypeOf(c.var.session).returns.resolves.toEqualTypeOf<Mine | null>()
      expectTypeOf(c.get('session')).returns.resolves.toEqualTypeOf<Mine | null>()
      // @ts-expect-error: it needs requireSession
      void c.var.signedIn
      return c.text('')
    })
  })

  test('is never null after requireSession, for one route and for many', () => {
    new Hono()
      .use(latchkey(auth))
      .get('/one', requireSession(auth), (c) => {
        expectTypeOf(c.var.signedIn).toEqualTypeOf<Mine>()
        expectTypeOf(c.var.session).returns.resolves.toEqualTypeOf<Mine | null>()
        return c.text(c.var.signedIn.id)
      })
      .use('/many/*', requireSession(auth, { answer: 'json' }))
      .get('/many/of', (c) => {
        expectTypeOf(c.var.signedIn).toEqualTypeOf<Mine>()
        return c.json(c.var.signedIn)
      })
  })

  test('is combined with the bindings and variables of the application', () => {
    type Variables = LatchkeyVariables<typeof auth> & { requestId: string }
    const app = new Hono<{ Bindings: { DB: number }; Variables: Variables }>()
    app.use(latchkey(auth))
    app.get('/', requireSession(auth), (c) => {
      expectTypeOf(c.env.DB).toEqualTypeOf<number>()
      expectTypeOf(c.var.requestId).toEqualTypeOf<string>()
      expectTypeOf(c.var.session).returns.resolves.toEqualTypeOf<Mine | null>()
      expectTypeOf(c.var.signedIn).toEqualTypeOf<Mine>()
      return c.text('')
    })
  })

  test('can be named in other files', () => {
    createFactory<LatchkeyEnv<typeof auth>>().createMiddleware(async (c, next) => {
      expectTypeOf(await c.var.session()).toEqualTypeOf<Mine | null>()
      await next()
    })
    expectTypeOf<LatchkeyEnv['Variables']>().toEqualTypeOf<LatchkeyVariables>()
    expectTypeOf<LatchkeyEnv>().not.toBeAny()
  })

  test('`answer` is one of three strings', () => {
    // @ts-expect-error: there is no such answer
    void (() => requireSession(auth, { answer: 'xml' }))
  })
})
