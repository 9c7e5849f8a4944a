import { createAuthSessions } from '@latchkey/core/capability/factors'
import { describeBrowser, fill } from '@latchkey/core/capability/pages'
import { getAccountTexts } from '../texts.ts'
import type { AccountTexts } from '../texts.ts'
import type { AccountRow, AccountSection, Asked } from '@latchkey/core/capability'
import type { SessionInfo } from '@latchkey/core'

/** Sessions that the page shows. */
const MAX_SESSIONS = 100

/** The sessions of a user: the current one, and the newest others. */
export const sessionsSection: AccountSection = {
  id: 'sessions',
  rank: 40,
  async read(ctx, { user }) {
    const texts = getAccountTexts(ctx.language.messages)
    const { session } = await ctx.readSession()
    const sessions = listShown(await createAuthSessions(ctx.service).list(user.id), session?.id)
    const days = new Intl.DateTimeFormat(ctx.language.tag, { dateStyle: 'medium', timeZone: 'UTC' })
    const endOthers = { fields: { action: 'endOtherSessions' }, button: texts.endOtherSessions }
    return {
      heading: texts.sessions,
      text: texts.sessionsText,
      rows: sessions.map((each) => toRow(texts, each, days)),
      forms: sessions.length > 1 ? [endOthers] : [],
      json: { sessions },
    }
  },
  changes: new Map([
    ['endSession', endOneSession],
    ['endOtherSessions', endOtherSessions],
  ]),
}

/** Lists the current session and the newest others: a page is not unbounded. */
function listShown(
  sessions: readonly SessionInfo[],
  currentId: string | undefined,
): readonly SessionInfo[] {
  const marked = sessions.map((session) => ({ ...session, isCurrent: session.id === currentId }))
  const sorted = marked.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
  return sorted.slice(0, MAX_SESSIONS)
}

function toRow(
  { unknownBrowser, thisBrowser, endSession, since }: AccountTexts,
  { id, userAgent, createdAt, renewedAt: lastUsedAt, isCurrent }: SessionInfo,
  days: Intl.DateTimeFormat,
): AccountRow {
  const name = describeBrowser(userAgent) ?? unknownBrowser
  // A day does not wrap.
  const day = days.format(createdAt * 1000).replaceAll(' ', '\u00a0')
  const facts = [isCurrent ? thisBrowser : undefined, fill(since, day)]
  if (isCurrent) return { name, facts, lastUsedAt }
  return {
    name,
    facts,
    lastUsedAt,
    form: { fields: { action: 'endSession', id }, button: endSession },
  }
}

async function endOneSession({ ctx, user, get, ...asked }: Asked): Promise<void> {
  const isEnded = await createAuthSessions(ctx.service, ctx).revoke(user.id, get('id'))
  if (!isEnded) throw asked.refuse(404, 'gone')
}

function endOtherSessions({ ctx, user, sessionId }: Asked): Promise<void> {
  return createAuthSessions(ctx.service, ctx).revokeAll(user.id, { except: sessionId })
}
