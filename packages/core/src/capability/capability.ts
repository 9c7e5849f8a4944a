/**
 * What a package needs to add something to a service: the type of its value, and the parts of replies, pages and checks that
 * our own capabilities are made of. Checks of options, pages, sign-ins and factors are in further entries beside it.
 */
export type { Keys, Sealer, Signer } from '../crypto/seal.ts'
export type { BaseUrl } from '../http/base-url.ts'
export type { Body } from '../http/body.ts'
export type { CookieJar } from '../http/cookie-jar.ts'
export type { CookieSpec, CookieSpecs, OwnCookie } from '../http/cookies.ts'
export type { RefusalOptions, RefusedPage } from '../http/refusal.ts'
export type { RefusedStep, Reply, ReplyBody, ReplyHeaders } from '../http/reply.ts'
export type { CookieChange } from '../http/set-cookie.ts'
export type {
  AccountChange,
  AccountSection,
  Action,
  Admission,
  Asked,
  BegunSignIn,
  Capability,
  CapabilityRoute,
  CapableProvider,
  Change,
  Context,
  Continued,
  CsrfToken,
  Done,
  DoneSignIn,
  EndReason,
  Enough,
  EnrolledElsewhere,
  FactorKind,
  FormMethod,
  FormView,
  Gate,
  Input,
  LinksView,
  MembersOf,
  OnError,
  Proofs,
  ProvenFirst,
  ProveSecond,
  ProviderAnswers,
  ProviderInput,
  PurposeRow,
  Recency,
  SectionContent,
  SectionView,
  Service,
  ShownError,
  SignedInUser,
  SignInPage,
  TokenSigner,
  TypedFields,
  WaitingStep,
} from '../kernel/context.ts'
export type {
  AccountForm,
  AccountInput,
  AccountRow,
  ChangeProblem,
  WayLink,
} from '../kernel/account-row.ts'
export type { FlowTarget, SecondProof } from '../kernel/flow.ts'
export type { Log } from '../lib/log.ts'
export type { LimitedRequest } from '../limits/apply-limit.ts'
export type { CountedRequest, LimitName, Limits, LimitTable, OwnLimit } from '../limits/limits.ts'
export type { OptionParts } from '../kernel/option-parts.ts'
export type { EventFacts } from '../outbox/event-outbox.ts'
export type { Markup, Value } from '../pages/html.ts'
export type { LayoutOptions, PageContext } from '../pages/layout.ts'
export type { Theme } from '../pages/theme.ts'
export type { ContinuedSession, HeldSession } from '../session/held-session.ts'
export type { SatisfiedBy, Session } from '../session/session.ts'
export type { GuardedStorage } from '../storage/guard-storage.ts'
export type { TokenContext } from '../storage/token-context.ts'
export { sha256 } from '../crypto/sha256.ts'
export { toPageContext } from '../actions/page-replies.ts'
export { getService } from '../kernel/auth-services.ts'
export { hashCsrfToken } from '../crypto/csrf.ts'
export { equalInConstantTime, toBase64url } from '../crypto/encoding.ts'
export { authorize, callDecision, callJwtAgain } from '../kernel/decisions.ts'
export { callListener } from '../kernel/emit.ts'
export { checkOwnOrigin, startLimit } from '../kernel/gates.ts'
export { isProtocolField } from '../http/body.ts'
export { FLOW_LIFETIME, getOwnCookie, KNOWN_LIFETIME, SECOND_LIFETIME } from '../http/cookies.ts'
export { checkNoDuplicates } from '../http/query.ts'
export { Refusal, toRefusal, withRefusal } from '../http/refusal.ts'
export { json, page, redirect, refuseStep, text, withCookies } from '../http/reply.ts'
export { resolveReturnUrl } from '../http/return-url.ts'
export { clearCookie, listLargest, setCookie } from '../http/set-cookie.ts'
export { toHeaders } from '../kernel/response-headers.ts'
export { isFromTrustedOrigin } from '../http/trusted-origins.ts'
export { getCarried, getOutOfBand } from '../kernel/context.ts'
export { perService } from '../kernel/per-service.ts'
export {
  changed,
  checkRecent,
  endAll,
  hasListeners,
  limitChange,
  requireSigner,
} from '../kernel/points.ts'
export { readAtMost } from '../lib/bytes.ts'
export { answerInTime } from '../lib/deadline.ts'
export { keepAlive } from '../lib/keep-alive.ts'
export { getCauses } from '../lib/log.ts'
export { getClientKey, limitClient } from '../limits/apply-limit.ts'
export { spendLimit } from '../limits/limits.ts'
export { html } from '../pages/html.ts'
export { hiddenFields, layout } from '../pages/layout.ts'
export { RequestContext } from '../service/request-context.ts'
export { listSessionIds } from '../session/session.ts'
export { getReturnUrl, getSignInUrl, toUrl } from '../sign-in/urls.ts'
export { requireStorage } from '../storage/guard-storage.ts'
