/** The parts of pages and emails: markup that escapes what it is given, layout, texts, forms. */
export type { SignInView } from '../kernel/context.ts'
export * from '../ports/capability-texts.ts'
export { acceptsJson, isJsonForm } from '../actions/error-reply.ts'
export {
  getErrorCode,
  isStep,
  replyErrorPage,
  replySignInPage,
  showSignInAgain,
  toUserName,
} from '../actions/page-replies.ts'
export { composeMail } from '../email/compose-mail.ts'
export type { MailContent, Sentence } from '../email/compose-mail.ts'
export type { MailBrand } from '../ports/mailer.ts'
export { addressStep } from '../email/address-step.ts'
export { getMailTexts, withMailTexts } from '../email/mail-texts.ts'
export { describeBrowser } from '../lib/describe-browser.ts'
export { getWayTexts } from '../pages/way-texts.ts'
export { checkboxRules } from '../pages/checkbox-rules.ts'
export { raw } from '../pages/html.ts'
export {
  alert,
  backLink,
  describedByError,
  fillIsolated,
  getSiteName,
  notice,
  toPageUrl,
} from '../pages/layout.ts'
export { fill, formatDuration } from '../pages/messages.ts'
export { providerButton, providerForms } from '../pages/signin.ts'
