export { accountPages } from './account-pages.ts'
export { securityEmails } from './security-emails/security-emails.ts'
export type { SecurityEmailsOptions } from './security-emails/security-emails.ts'
export type { SecurityMail } from './security-emails/security-mail.ts'
