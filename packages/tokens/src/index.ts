export { apiTokens } from './api-tokens.ts'
export type { ApiTokensOptions, TokenLimits, TokenMembers } from './api-tokens.ts'
export type { IssuedToken, TokenClaims, TokenClaimsInput } from './token-issuer.ts'
export type { TokenKey } from './token-keys.ts'
