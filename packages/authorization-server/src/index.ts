export { authorizationServer } from './authorization-server.ts'
export { clientDocuments } from './clients/documents.ts'
export { privateKeyJwt } from './clients/private-key-jwt.ts'
export { deviceFlow } from './device-flow.ts'
export { storedClients } from './clients/stored-clients.ts'
export { introspection } from './endpoints/introspect.ts'
export { dynamicRegistration } from './endpoints/register.ts'
export { openId } from './openid.ts'
export { openIdLogout } from './openid-logout.ts'
export { programs } from './programs.ts'
export type { ClientMethod, ClientOptions, GrantType } from './clients/client.ts'
export type {
  AuthClients,
  ClientInfo,
  CreatedClient,
  StoredClientMembers,
  StoredClientOptions,
} from './clients/auth-clients.ts'
export type { ClientDocuments, ClientDocumentsOptions, DocumentFetch } from './clients/documents.ts'
export type { DeviceFlowLimits, DeviceFlowOptions } from './device-flow.ts'
export type { DynamicRegistrationOptions } from './endpoints/register.ts'
export type { GrantInfo } from './grant.ts'
export type { AuthGrants, AuthorizationServerMembers, GrantsToRemove } from './members.ts'
export type { OpenIdOptions } from './openid.ts'
export type {
  AuthorizationServerEvents,
  AuthorizationServerLimits,
  AuthorizationServerOptions,
  ConsentRequest,
  GrantEvent,
  GrantRequest,
  ResourceOptions,
  ScopeTexts,
} from './settings.ts'
export type { AuthorizationServerTexts } from './texts.ts'
export type {
  ClientAssertions,
  DeviceFlow,
  DynamicRegistration,
  Introspection,
  OpenIdLogout,
  OpenIdProvider,
  StoredClients,
} from './parts.ts'
