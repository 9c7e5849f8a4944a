import { AuthError, ConfigurationError } from '../lib/errors.ts'
import type { Capability, PurposeRow, Recency } from '../kernel/context.ts'
import { answerInTime } from '../lib/deadline.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import { getConfirmUrl } from '../sign-in/urls.ts'
import { completeConfirmation } from './complete-confirmation.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { RecentOptions } from './recent-options.ts'
import { isRecent, requireRecent } from './require-recent.ts'
import { showConfirmPage } from './show-confirm-page.ts'

/** The options of {@link confirmation}. */
export interface ConfirmationOptions {
  /**
   * Seconds for which a proof counts as recent. An account is linked only within them, unless this is 0,
   * which exempts linking. Default: 600
   */
  readonly maxAge?: number
}

const DEFAULT_MAX_AGE = 600

/**
 * Lets signed-in users prove again who they are, before something that matters: an element of
 * `use`. It turns on `auth.requireRecent`, `GET /signin?confirm=true` and `confirm=true` of
 * `POST /signin/:provider`, and linking an account then requires a recent proof.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { confirmation } from '@latchkey/core/confirmation'
 *
 *   declare const config: AuthConfig
 *   declare function deleteProject(userId: string): Promise<void>
 *   const auth = createAuth({ ...config, use: [confirmation()] })
 *   async function handleDelete(request: Request): Promise<Response> {
 *     const recent = await auth.requireRecent(request, { maxAge: 300 })
 *     if (recent instanceof Response) return recent
 *     await deleteProject(recent.session?.user.id ?? '')
 *     return new Response('Deleted', { headers: recent.headers })
 *   }
 *
 * @throws ConfigurationError `confirmation.maxAge` if it is not whole seconds from 0 to 86,400
 */
export function confirmation(options: ConfirmationOptions = {}): Capability {
  checkKnownNames('confirmation', options, ['maxAge'])
  const { maxAge = DEFAULT_MAX_AGE } = options
  if (!Number.isInteger(maxAge) || maxAge < 0 || maxAge > 86_400) {
    throw new ConfigurationError('confirmation.maxAge', 'must be whole seconds from 0 to 86,400')
  }
  return {
    id: 'confirmation',
    check({ storage, sessions }) {
      if (sessions.isStored) requireStorage(storage, 'confirmation', ['sessionData'])
    },
    pages: [{ query: 'confirm', show: showConfirmPage }],
    purposes: [confirm],
    recency: createRecency(maxAge),
    members: (service) => ({
      requireRecent: (request: Request, asked?: RecentOptions) =>
        answerInTime(
          service,
          requireRecent(service, request, { maxAge: maxAge || DEFAULT_MAX_AGE, ...asked }),
        ),
    }),
  }
}

/** Proves again who the user of a session is. */
const confirm: PurposeRow = {
  name: 'confirm',
  async checkStart(ctx, { id, canConfirm = true }) {
    const { session } = await ctx.readSession()
    if (!session) throw new AuthError('SessionRequired', 'a confirmation needs a session')
    if (!canConfirm) throw new AuthError('AccessDenied', `${id} cannot confirm who the user is`)
  },
  complete: completeConfirmation,
  show: showConfirmPage,
  getAgainUrl: (ctx, callbackUrl, { code }) =>
    code === 'SessionRequired' ? undefined : getConfirmUrl(ctx, callbackUrl),
}

function createRecency(maxAge: number): Recency {
  return {
    async isRecent(ctx, change, elapsed = 0) {
      if (maxAge === 0 && change === 'link') return true
      const { session } = await ctx.readSession()
      const { capabilities, storage } = ctx.service
      const userId = session?.token.sub ?? ''
      const needsBoth = storage && (await capabilities.proven?.isEnrolled(storage, userId))
      const factors = needsBoth ? 2 : 1
      const limit = (maxAge || DEFAULT_MAX_AGE) + elapsed
      const recency = { maxAge: limit, factors, now: ctx.now } as const
      return isRecent(session?.authentication, recency)
    },
    getUrl: getConfirmUrl,
  }
}

export type { RecentOptions } from './recent-options.ts'
