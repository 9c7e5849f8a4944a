export { getClientIp, readClientIpHeader } from './client-ip.ts'
export { nameVariables, readConfig, readDatabase, readSecrets } from './config.ts'
export type { ConfigOptions, ServiceConfig } from './config.ts'
export { readEmail } from './email.ts'
export type { MailerSource } from './email.ts'
export { EnvironmentError } from './environment-error.ts'
export type { VariableProblem } from './environment-error.ts'
export { oidcVariables, toOidcOptions } from './oidc.ts'
export type { OidcValues } from './oidc.ts'
export { readLogSettings, readOperation } from './operation.ts'
export type { LogSettings, OperationSettings } from './operation.ts'
export {
  client,
  defineLazyProvider,
  defineProvider,
  getVariableNames,
  issuerVariables,
  loadProviders,
  readProviders,
} from './provider-row.ts'
export type {
  ConfiguredProvider,
  LazyProviderRow,
  OptionNames,
  ProviderRow,
  ProviderValues,
  ProviderVariables,
} from './provider-row.ts'
export { readEnvironment } from './read-environment.ts'
export type { ReadOptions } from './read-environment.ts'
export { getOtherNames } from './similar-names.ts'
export { readChoice, readFlag, readInteger, readList, readPort, readText } from './values.ts'
export type { IntegerRange } from './values.ts'
export type { Environment, Variables } from './variables.ts'
