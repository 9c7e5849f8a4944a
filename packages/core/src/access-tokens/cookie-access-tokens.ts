import { platform } from '#crypto'
import { AuthError } from '../lib/errors.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import { sleep } from '../lib/clock.ts'
import { createExpiringMap } from '../lib/expiring-map.ts'
import type { ExpiringMap } from '../lib/expiring-map.ts'
import { createSharedTask } from '../lib/shared-task.ts'
import type { ShareTask, Waiting } from '../lib/shared-task.ts'
import type { Clock } from '../ports/runtime.ts'
import type { Account } from '../ports/records.ts'
import type {
  CookieAccessTokens,
  Refreshment,
  SessionTokenKeeper,
  SessionTokens,
} from './token-keeper.ts'

/** Characters of the tokens together. Node refuses requests whose headers have more than 16 KiB. */
const MAX_LENGTH = 8000
/** Keys that are remembered; those that were used longest ago are forgotten first. */
const MAX_KEYS = 10_000
/** Seconds after a refresh that failed until the same tokens are tried again. */
const PAUSE = 60

/**
 * Keeps the tokens of the account that a session began through in its encrypted cookie, for
 * `auth.getAccessToken` without a storage: the option `session.accessTokens`. No client and no
 * callback sees them. Access and refresh token may have 8,000 characters together.
 *
 * A refresh token is used once in each process. If a provider issues a new one at each refresh and
 * revokes the grant when one is used twice, several processes need a storage.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, session: { accessTokens: cookieAccessTokens() } })
 */
export function cookieAccessTokens(): CookieAccessTokens {
  return { createKeeper }
}

/** Tokens that one account was issued, one after the other. */
interface Grant {
  /** The newest. */
  tokens: SessionTokens
  /** The key of the newest tokens. */
  key: string
  /** When the latest session that is known to have them ends. Times are seconds since 1970. */
  expires: number
  failedAt: number
  readonly share: ShareTask<SessionTokens>
}

/** Grants by the keys of the newest tokens and of those that they have replaced. */
type Grants = ExpiringMap<Grant>

function createKeeper(): SessionTokenKeeper {
  const grants: Grants = createExpiringMap(MAX_KEYS)
  return {
    pick,
    async getNewest(tokens) {
      const key = await toKey(tokens)
      const grant = grants.get(key)
      if (!grant || grant.key === key) return tokens
      grants.set(key, grant, grant.expires, 0) // Used again: others are forgotten first.
      return grant.tokens
    },
    async refresh(tokens, refreshment) {
      const key = await toKey(tokens)
      const grant = grants.get(key) ?? createGrant(tokens, key, refreshment)
      grant.expires = Math.max(grant.expires, refreshment.expires)
      remember(grants, key, grant, refreshment.now)
      return grant.share(
        () => refreshGrant(grants, grant, key, refreshment),
        toWaiting(refreshment.clock),
      )
    },
  }
}

function toWaiting(clock: Clock): Waiting {
  return { monotonic: clock.monotonic, sleep: (milliseconds) => sleep(clock, milliseconds) }
}

function pick(account: Account): SessionTokens | undefined {
  const { provider, providerAccountId, access_token, refresh_token, expires_at } = account
  if (access_token === undefined) return undefined
  const length = access_token.length + (refresh_token?.length ?? 0)
  if (length <= MAX_LENGTH) {
    return { provider, providerAccountId, access_token, refresh_token, expires_at }
  }
  const problem = `expected tokens of at most ${MAX_LENGTH} characters, found ${length}`
  const advice = 'keep them in a storage, or request fewer scopes'
  throw new AuthError('Configuration', `session.accessTokens: ${provider}: ${problem}: ${advice}`)
}

/** The account is part of the key, so that no session receives tokens of another user. */
function toKey(tokens: SessionTokens): Awaitable<string> {
  const { provider, providerAccountId, access_token, refresh_token, expires_at } = tokens
  const state = [provider, providerAccountId, access_token, refresh_token, expires_at]
  return platform.hash(JSON.stringify(state))
}

function createGrant(tokens: SessionTokens, key: string, { expires, timeout }: Refreshment): Grant {
  // A refresh counts as lost only once it cannot succeed any more: a second one would use the token again.
  const share = createSharedTask<SessionTokens>((timeout + 1) * 1000)
  return { tokens, key, expires, failedAt: -Infinity, share }
}

async function refreshGrant(
  grants: Grants,
  grant: Grant,
  key: string,
  { exchange, now }: Refreshment,
): Promise<SessionTokens> {
  if (grant.key !== key) return grant.tokens // Another request has refreshed them meanwhile.
  if (now < grant.failedAt + PAUSE) {
    const { provider } = grant.tokens
    throw new AuthError('OAuthSignin', `${provider} refused to refresh the access token before`)
  }
  try {
    const { access_token, refresh_token, expires_at } = await exchange()
    const { tokens } = grant
    grant.tokens = {
      ...tokens,
      access_token: access_token ?? tokens.access_token,
      refresh_token: refresh_token ?? tokens.refresh_token,
      expires_at,
    }
  } catch (thrown) {
    grant.failedAt = now
    throw thrown
  }
  grant.key = await toKey(grant.tokens)
  remember(grants, grant.key, grant, now)
  return grant.tokens
}

function remember(grants: Grants, key: string, grant: Grant, now: number): void {
  grants.set(key, grant, grant.expires, now)
}
