import { getErrorCode, replyErrorPage, showSignInAgain } from '@latchkey/core/capability/pages'
import {
  startLimit,
  isFromTrustedOrigin,
  checkRecent,
  requireStorage,
} from '@latchkey/core/capability'
import type {
  Reply,
  Capability,
  Context,
  Input,
  PurposeRow,
  ShownError,
  OptionParts,
} from '@latchkey/core/capability'
import { checkHasUser } from '@latchkey/core/capability/sign-in'
import { confirmation } from '@latchkey/core/confirmation'
import { AuthError, requireRevocable } from '@latchkey/core/capability/options'
import { accountRules } from './pages/account-rules.ts'
import { changeAccount } from './change-account.ts'
import { completeEmailChange } from './complete-email-change.ts'
import { deletionSection } from './sections/deletion.ts'
import { isEmailProvider, profileSection } from './sections/profile.ts'
import { sessionsSection } from './sections/sessions.ts'
import { waysSection } from './sections/ways.ts'
import { showAccountPage, showAddPage } from './show-account-page.ts'

/** What the storage must be able to do. */
const capabilities = ['sessions', 'sessionLists', 'accountLists'] as const

/**
 * Adds the page on which users see and change what the service keeps of them: an element of `use`. The page
 * is `GET /account`, and its forms post to `POST /account`. It has no script, and every language.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { accountPages } from '@latchkey/account'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, use: [accountPages()] })
 */
export function accountPages(): Capability {
  return {
    id: 'account',
    needs: [confirmation()],
    check: checkParts,
    style: [accountRules],
    fields: ['action', 'id', 'name', 'provider', 'row', 'sure', 'type'],
    routes: [
      {
        method: 'GET',
        path: '/account',
        speaks: 'either',
        action: showAccount,
        onError: { show: showSignInAgain, leaves: true },
      },
      {
        method: 'POST',
        path: '/account',
        gates: [startLimit],
        action: changeAccount,
        onError: { show: showAgain },
      },
    ],
    purposes: [changeEmail],
    account: [profileSection, waysSection, sessionsSection, deletionSection],
  }
}

/** `GET /account`: shows the account of the session's user (I-54), or the page of what is changed there. */
function showAccount(ctx: Context, { query }: Input): Promise<Reply> {
  const error = getErrorCode(query)
  if (query.get('add') === 'true') return showAddPage(ctx, error)
  return showAccountPage(ctx, {
    error,
    isSaved: query.get('saved') === 'true',
    row: query.get('row'),
  })
}

/** A trusted origin may read the reply of a sign-in (I-42.5), and not the account. */
async function showAgain(ctx: Context, { typed, ...view }: ShownError): Promise<Reply> {
  if (!isFromTrustedOrigin(ctx.service, ctx.request)) {
    const row = new URL(view.callbackUrl).searchParams.get('row') ?? undefined
    return showAccountPage(ctx, { ...view, row, typed: typed?.values })
  }
  return replyErrorPage(ctx, view.error ?? 'Default', { status: view.status ?? 400 })
}

/** Replaces the email address of the session's user by one that an email proves. */
const changeEmail: PurposeRow = {
  name: 'changeEmail',
  async checkStart(ctx, provider, callbackUrl) {
    await checkHasUser(ctx)
    if (!isEmailProvider(provider)) {
      throw new AuthError('AccessDenied', `${provider.id} sends no emails`)
    }
    await checkRecent(ctx, callbackUrl, 'factor')
  },
  complete: completeEmailChange,
  show: showAgain,
  getAgainUrl: (_, callbackUrl) => callbackUrl,
}

function checkParts(parts: OptionParts): void {
  const { storage } = parts
  requireStorage(storage, 'account', capabilities)
  requireRevocable(parts, 'account')
}
