import type { Auth } from '@latchkey/core'
import type { TokenVerifier } from '@latchkey/tokens/verify-token'
import { latchkey, requireSession } from '@latchkey/hono'
import type { LatchkeyEnv, LatchkeyOptions } from '@latchkey/hono'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { csrf } from 'hono/csrf'
import { secureHeaders } from 'hono/secure-headers'
import { createApi } from './api.ts'
import type { Notes } from './notes.ts'
import { renderErrorPage, renderHomePage, renderNotesPage, style } from './pages.ts'

/** The parts of the application that differ between hosts. */
export interface Parts {
  readonly auth: Auth
  readonly notes: Notes
  /** Verifies the tokens of the API `/v1`. Default: there is no such API */
  readonly verifyToken?: TokenVerifier | undefined
  /** Returns the client's IP address, as the host knows it. */
  readonly clientIp: NonNullable<LatchkeyOptions['clientIp']>
}

const MAX_BODY = 16 * 1024
const MAX_TEXT = 1000

/** Creates the application: a public page, a private page with the user's notes, and a private API. */
export function createApp(parts: Parts): Hono<LatchkeyEnv> {
  const { auth, notes, verifyToken, clientIp } = parts
  const app = new Hono<LatchkeyEnv>()
  // First, because the service sets its own headers and has its own CSRF protection. `csrf()` would
  // refuse the callback of a provider with `response_mode=form_post`, which comes from another site.
  app.use(latchkey(auth, { clientIp }))
  if (verifyToken) app.route('/v1', createApi(notes, verifyToken))
  app.use(secureHeaders(headers))
  // The form needs no token: browsers send its origin (Sec-Fetch-Site, Origin), and the session cookie
  // is SameSite=Lax. The csrfToken of the service is only for the service's own forms.
  app.use(csrf(), bodyLimit({ maxSize: MAX_BODY }))

  app.get('/style.css', (c) => c.body(style, 200, styleHeaders))
  app.get('/', async (c) => c.html(renderHomePage(await c.var.session(), auth.basePath)))
  addNotes(app, parts)
  app.get('/api/notes', requireSession(auth, { answer: 'json' }), async (c) =>
    c.json(await notes.list(c.var.signedIn.user.id)),
  )
  app.notFound((c) => c.html(renderErrorPage('This page does not exist.'), 404))
  return app
}

/** Adds the private page and its forms. Only handlers after `mine` have `c.var.signedIn`. */
function addNotes(app: Hono<LatchkeyEnv>, { auth, notes }: Parts): void {
  const mine = requireSession(auth)
  app.get('/notes', mine, async (c) => {
    const { signedIn } = c.var
    return c.html(renderNotesPage(signedIn, await notes.list(signedIn.user.id)))
  })
  app.post('/notes', mine, async (c) => {
    const { text } = await c.req.parseBody()
    const note = typeof text === 'string' ? text.trim() : ''
    if (note === '' || note.length > MAX_TEXT) return c.html(renderErrorPage(noteRule), 400)
    await notes.add(c.var.signedIn.user.id, note)
    return c.redirect('/notes', 303)
  })
  app.post('/notes/:id{[0-9]{1,15}}/delete', mine, async (c) => {
    await notes.remove(c.var.signedIn.user.id, Number(c.req.param('id')))
    return c.redirect('/notes', 303)
  })
}

const noteRule = `A note has from 1 to ${MAX_TEXT} characters.`

const styleHeaders = {
  'content-type': 'text/css; charset=utf-8',
  'cache-control': 'public, max-age=3600',
}

const headers: Parameters<typeof secureHeaders>[0] = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  // With Hono's default, no-referrer, browsers send `Origin: null` with our forms.
  referrerPolicy: 'same-origin',
}
