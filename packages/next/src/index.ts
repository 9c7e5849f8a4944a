export { createNextAuth } from './create-next-auth.ts'
export type { NextAuth } from './create-next-auth.ts'
export type { NextAuthOptions } from './next-auth-options.ts'
export type { ApiHandler, ApiRequest, ApiResponse } from './api-handler.ts'
export { getRequest } from './get-request.ts'
export { getServerSession } from './get-server-session.ts'
export { getToken } from './get-token.ts'
export type { PageRequest, PageResponse } from './get-server-session.ts'
export type { RequireRecentOptions } from './require-recent.ts'
export type { RouteParameters } from './request-url.ts'
export type { RouteContext, RouteHandler, RouteHandlers } from './route-handlers.ts'
export type { ConfigSource, InferSession, NextService } from './next-service.ts'
export type {
  ActionFailure,
  ActionOptions,
  ActionReply,
  ServerActions,
  SignInActionOptions,
  UpdateActionOptions,
  UpdateActionReply,
} from './server-actions.ts'
