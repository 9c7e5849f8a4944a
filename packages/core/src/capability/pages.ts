/** The parts of pages and emails: markup that escapes what it is given, layout, texts, forms. */
export type { SignInView } from '../pages/signin.ts'
export * from '../ports/capability-texts.ts'
export { acceptsJson, isJsonForm } from '../actions/error-reply.ts'
export {
  getErrorCode,
  replyErrorPage,
  replySignInPage,
  showSignInAgain,
  toUserName,
} from '../actions/page-replies.ts'
export { mailFrame, mailStyle } from '../email/mail-frame.ts'
export { getMailTexts, withMailTexts } from '../email/mail-texts.ts'
export { describeBrowser } from '../lib/describe-browser.ts'
export { getAccountTexts, toTypeName } from '../pages/account-texts.ts'
export { raw } from '../pages/html.ts'
export { alert, backLink, describedByError, fillIsolated, getSiteName } from '../pages/layout.ts'
export { fill, formatDuration } from '../pages/messages.ts'
export { providerButton, providerForms } from '../pages/signin.ts'
