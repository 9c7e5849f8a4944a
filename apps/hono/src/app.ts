import type { Auth } from '@latchkey/core'
import { latchkey, requireSession } from '@latchkey/hono'
import type { LatchkeyEnv, LatchkeyOptions } from '@latchkey/hono'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { csrf } from 'hono/csrf'
import { secureHeaders } from 'hono/secure-headers'
import type { Notes } from './notes.ts'
import { errorPage, homePage, notesPage, style } from './pages.ts'

/** What the application is made of; each host has its own. */
export interface Parts {
  readonly auth: Auth
  readonly notes: Notes
  /** Where the host knows who a request comes from. */
  readonly clientIp: NonNullable<LatchkeyOptions['clientIp']>
}

const MAX_BODY = 16 * 1024
const MAX_TEXT = 1000

/** Everybody's own notes: a public page, a private one, and a private API. */
export function createApp(parts: Parts): Hono<LatchkeyEnv> {
  const { auth, notes, clientIp } = parts
  const app = new Hono<LatchkeyEnv>()
  // First: the service's own pages have headers of their own, and its own protection against forged
  // forms. A provider that answers by a form comes from another site, which csrf() would refuse.
  app.use(latchkey(auth, { clientIp }))
  app.use(secureHeaders(headers))
  // The form needs no token: browsers say where a form comes from (Sec-Fetch-Site, Origin), and the
  // session's cookie is SameSite=Lax. The service's own csrfToken is for the service's own forms.
  app.use(csrf(), bodyLimit({ maxSize: MAX_BODY }))

  app.get('/style.css', (c) => c.body(style, 200, styleHeaders))
  app.get('/', async (c) => c.html(homePage(await c.var.session(), auth.basePath)))
  addNotes(app, parts)
  app.get('/api/notes', requireSession(auth, { answer: 'json' }), async (c) =>
    c.json(await notes.list(c.var.signedIn.user.id)),
  )
  app.notFound((c) => c.html(errorPage('There is no such page.'), 404))
  return app
}

/** The private page and its forms. Without `mine` a handler would have no `c.var.signedIn`. */
function addNotes(app: Hono<LatchkeyEnv>, { auth, notes }: Parts): void {
  const mine = requireSession(auth)
  app.get('/notes', mine, async (c) => {
    const { signedIn } = c.var
    return c.html(notesPage(signedIn, await notes.list(signedIn.user.id)))
  })
  app.post('/notes', mine, async (c) => {
    const { text } = await c.req.parseBody()
    const note = typeof text === 'string' ? text.trim() : ''
    if (note === '' || note.length > MAX_TEXT) return c.html(errorPage(rule), 400)
    await notes.add(c.var.signedIn.user.id, note)
    return c.redirect('/notes', 303)
  })
  app.post('/notes/:id{[0-9]{1,15}}/delete', mine, async (c) => {
    await notes.remove(c.var.signedIn.user.id, Number(c.req.param('id')))
    return c.redirect('/notes', 303)
  })
}

const rule = `A note has from 1 to ${MAX_TEXT} characters.`

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
  // With hono's own choice, no-referrer, browsers send `Origin: null` with our forms.
  referrerPolicy: 'same-origin',
}
