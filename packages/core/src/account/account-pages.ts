import { AuthError, providerError } from '../errors.ts'
import { requireConfirmation, requireRevocable } from '../option-parts.ts'
import type { OptionParts } from '../option-parts.ts'
import { accountRules } from '../pages/account-rules.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import { changeAccount } from './change-account.ts'
import { completeEmailChange } from './complete-email-change.ts'
import type { AccountHolder } from './get-account-pages.ts'
import { isEmailProvider, showAccountPage } from './show-account-page.ts'

/** What the storage must be able to do. */
const capabilities = ['sessions', 'sessionLists', 'accountLists'] as const

/**
 * Adds the page on which users see and change what the service keeps of them: the option `account`. The page
 * is `GET /account`, and its forms post to `POST /account`. It has no script, and every language.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { accountPages } from '@latchkey/core/account'
 *   import { confirmation } from '@latchkey/core/confirmation'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, confirmation: confirmation(), account: accountPages() })
 */
export function accountPages(): AccountHolder {
  return {
    style: accountRules,
    fields: ['action', 'changeEmail', 'id', 'name', 'provider', 'sure', 'type'],
    check: checkParts,
    accountPages: {
      show: showAccountPage,
      change: changeAccount,
      checkStart(provider) {
        const { id } = provider
        if (isEmailProvider(provider)) return
        throw new AuthError('AccessDenied', `${id} sends no emails`)
      },
      complete: completeEmailChange,
    },
  }
}

function checkParts(parts: OptionParts): void {
  const { providers, storage } = parts
  requireStorage(storage, 'account', capabilities)
  requireRevocable(parts, 'account')
  requireConfirmation(parts, 'account')
  const taken = [...providers.values()].find(({ fields }) => fields && 'changeEmail' in fields)
  if (taken) throw providerError(taken.id, 'fields.changeEmail', 'is a field of the protocol')
}

export type { AccountHolder, AccountPageOptions, AccountPages } from './get-account-pages.ts'
export type { AccountOption } from './option.ts'
