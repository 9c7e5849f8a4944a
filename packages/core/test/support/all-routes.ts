import { accountPages, securityEmails } from '@latchkey/account'
import {
  authorizationServer,
  deviceFlow,
  openId,
  openIdLogout,
} from '@latchkey/authorization-server'
import { apiTokens } from '@latchkey/tokens'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { addressStep } from '@latchkey/core/capability/pages'
import { confirmation } from '@latchkey/core/confirmation'
import type { Route } from '../../src/kernel/context.ts'
import { createRoutes } from '../../src/service/routes.ts'
import { createPurposes } from '../../src/sign-in/purposes.ts'
import { Mailbox } from './mailbox.ts'

const from = 'security@app.example'
const capabilities = [
  accountPages(),
  addressStep,
  apiTokens({ audience: 'https://api.example', keys: [await generateTokenKey()] }),
  authorizationServer({
    device: deviceFlow(),
    openid: openId({ logout: openIdLogout() }),
    resources: { 'https://api.example/notes': { scopes: { read: { en: 'Read your notes' } } } },
  }),
  confirmation(),
  securityEmails({ mailer: new Mailbox(), from }),
]

/** The rows of every route, those of our capabilities too. */
export const allRoutes: readonly Route[] = [...createRoutes(capabilities).values()].flatMap(
  (rows) => [...rows.values()],
)

/** The purposes of flows, those of our capabilities too. */
export const allPurposes: readonly string[] = [
  'signIn',
  ...createPurposes(capabilities, new Map()).keys(),
]
