import type { Draw } from './draw.ts'
import { drawText } from './texts.ts'

/** Draws the records that the operations of a case are about. Few names, so that they collide. */
const ids = ['u1', 'u2', 'u3', 'U1'] as const
const subjects = ['s1', 's2', 'S1', 's1 ', 'é', 'e\u0301', '😀', '0'] as const
const providers = ['p', 'q', 'P'] as const
const factorTypes = ['password', 'passkey', 'totp'] as const
const emails = [
  'a@example.com',
  'A@example.com',
  'b@example.com',
  'é@example.com',
  'e\u0301@example.com',
] as const
// prettier-ignore
const texts = [
  'Alice', 'alice', 'Zoë', 'Zoe\u0308', '😀', 'a ', ' a', 'ß', 'ss', 'İ', '\u200b', "'; --", '"',
  '\\', '%', '_', '\u{1F468}\u200d\u{1F469}', '\uffff', 'x'.repeat(255), '😀'.repeat(255), 'null',
  '0', '[]',
] as const
const lifetimes = [50, 1000, 7200] as const

type OrNull<T> = T | null

/** A user. */
interface DrawnUser {
  readonly name: OrNull<string>
  readonly email: OrNull<string>
  readonly emailVerified: boolean
  readonly image: OrNull<string>
}

/** One call of a storage. `session` and `version` are resolved in each storage. */
export interface Operation {
  readonly method: (typeof methods)[number]
  /** Seconds that pass before the call. */
  readonly wait: number
  readonly id: string
  readonly provider: string
  readonly subject: string
  readonly user: DrawnUser
  readonly tokens: Readonly<Record<string, string | number>>
  readonly expected: OrNull<string>
  readonly email: OrNull<string>
  readonly hasAccount: boolean
  readonly hasSession: boolean
  readonly hasFactor: boolean
  /** Which of the sessions of the case. */
  readonly session: number
  readonly isReplaced: boolean
  readonly sid: OrNull<string>
  readonly lifetime: number
  readonly data: string
  readonly type: string
  readonly isStale: boolean
  readonly by: 1 | -1
}

/** The methods that are compared. */
// prettier-ignore
const methods = [
  'createUser', 'getUser', 'createSession', 'getSessionAndUser', 'linkAccount', 'createFactor',
  'listFactors', 'deleteFactor', 'updateFactor', 'getFactorAndUser', 'unlinkAccount',
  'updateUser', 'deleteUser', 'getUserByEmail', 'getUserByAccount', 'listAccounts',
  'updateAccount', 'updateSession', 'deleteSession', 'listSessions', 'deleteSessions',
  'deleteAccountSessions', 'createVerificationToken', 'useVerificationToken', 'increment',
  'createRevocation', 'getRevocation', 'createUser',
] as const

/** Draws the calls of a case. */
export function drawOperations(draw: Draw): readonly Operation[] {
  return [drawOperation(draw), ...draw.list(15, drawOperation)]
}

function drawOperation(draw: Draw): Operation {
  return {
    method: draw.pick(methods),
    wait: draw.once(3) ? draw.pick([1, 60, 999, 1000]) : 0,
    id: draw.once(3) ? draw.pick(ids) : 'u1',
    provider: draw.once(3) ? draw.pick(providers) : 'p',
    subject: draw.once(3) ? draw.pick(subjects) : 's1',
    user: drawUser(draw),
    tokens: Object.fromEntries(draw.list(4, drawToken)),
    expected: draw.once(3) ? draw.pick(['t1', 't2']) : null,
    email: draw.once(3) ? draw.pick(emails) : null,
    hasAccount: !draw.once(3),
    hasSession: draw.once(2),
    hasFactor: draw.once(4),
    session: draw.below(6),
    isReplaced: draw.once(4),
    sid: draw.once(2) ? draw.pick(subjects) : null,
    lifetime: draw.pick(lifetimes),
    data: draw.pick(['{}', '{"a":"😀"}', '{"token":{"sub":"x"}}', 'x'.repeat(5000), '']),
    type: draw.once(3) ? draw.pick(factorTypes) : 'password',
    isStale: draw.once(4),
    by: draw.once(3) ? -1 : 1,
  }
}

function drawUser(draw: Draw): DrawnUser {
  return {
    name: drawName(draw),
    email: draw.once(4) ? null : draw.pick(emails),
    emailVerified: draw.once(2),
    image: draw.once(3) ? drawName(draw) : null,
  }
}

/** Core stores only texts that every database keeps as they are. */
function drawName(draw: Draw): OrNull<string> {
  return draw.any<OrNull<string>>(
    () => null,
    (d) => d.pick(texts),
    (d) => toStorable(drawText(d)),
  )
}

function toStorable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const kept = text.toWellFormed().replaceAll(/[\0-\u001f\u007f-\u009f]/g, '')
  return Array.from(kept).slice(0, 255).join('')
}

function drawToken(draw: Draw): [string, string | number] {
  const names = ['access_token', 'refresh_token', 'id_token', 'scope', 'token_type'] as const
  if (draw.once(4)) return ['expires_at', draw.pick([0, 1_800_000_000, 4_102_444_800])]
  return [draw.pick(names), draw.pick(['t1', 't2', 'x'.repeat(3000), '😀'])]
}
