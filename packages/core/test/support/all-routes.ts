import { securityEmails } from '@latchkey/core/security-emails'
import type { Route } from '../../src/kernel/context.ts'
import { createRoutes } from '../../src/routes.ts'
import { Mailbox } from './mailbox.ts'

const from = 'security@app.example'

/** The rows of every route, those of our capabilities too. */
export const allRoutes: readonly Route[] = [
  ...createRoutes([securityEmails({ mailer: new Mailbox(), from })]).values(),
].flatMap((rows) => [...rows.values()])
