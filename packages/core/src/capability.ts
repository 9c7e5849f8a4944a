/**
 * What a package needs to add something to a service: the type of its value, and the parts of replies, pages and checks that
 * our own capabilities are made of (I-63). Whoever writes one needs nothing else of core.
 */
export type {
  AccountChange,
  AccountSection,
  Action,
  Asked,
  BegunSignIn,
  CapableProvider,
  CapabilityRoute,
  Change,
  Context,
  Continued,
  Done,
  DoneSignIn,
  Enough,
  FormMethod,
  Gate,
  HeldFactors,
  Input,
  OnError,
  Proofs,
  ProvenFirst,
  ProviderInput,
  PurposeRow,
  Recency,
  Service,
  ShownError,
  ShownFactor,
  SignInPage,
} from './kernel/context.ts'
export type { Capability } from './kernel/context.ts'
export type { FlowTarget } from './kernel/flow.ts'
export type { OwnCookie } from './http/cookies.ts'
export type { Reply } from './http/reply.ts'
export type { CookieChange } from './http/set-cookie.ts'
export type { Markup } from './pages/html.ts'
export type { PageContext } from './pages/layout.ts'
export { toPageContext } from './actions/page-replies.ts'
export { checkOwnOrigin, startLimit } from './gates.ts'
export { Refusal } from './http/refusal.ts'
export { json, page, redirect, text, withCookies } from './http/reply.ts'
export { clearCookie, setCookie } from './http/set-cookie.ts'
export { changed, checkRecent, limitChange } from './kernel/points.ts'
export { perService } from './kernel/per-service.ts'
export { limitClient } from './limits/apply-limit.ts'
export { spend } from './limits/limits.ts'
export { html } from './pages/html.ts'
export { hiddenFields, layout } from './pages/layout.ts'
export { RequestContext } from './request-context.ts'
export { getReturnUrl, getSignInUrl, toUrl } from './sign-in/urls.ts'
export { requireStorage } from './storage/guard-storage.ts'
