/** The options whose members have a part in {@link optionNames}. */
export type OptionGroup = 'callbacks' | 'events' | 'session' | 'timeouts' | 'runtime'

/**
 * The members of each object of options, after its name, which is empty for the configuration itself:
 * `?` follows a switch, `#` a number, `()` a function, and `{}` an object.
 * Written by `pnpm --filter @latchkey/core options` from the types. One text has the fewest bytes.
 */
export const optionNames: string =
  ' secret providers serviceUrl trustHost trustedOrigins allowInsecure? use storage{} callbacks{} joinsUnverified() session{} events{} outbox pages{} theme{} messages{} cookies{} limits{} limiter{} metadataCache timeouts{} logger{} runtime{};' +
  'callbacks signIn() redirect() jwt() session();' +
  'events signIn() signInFailed() signOut() createUser() updateUser() deleteUser() linkAccount() joinUser() unlinkAccount() enrolFactor() removeFactor() session() updateSession() providerLogout() revokeSession() securityChanged();' +
  'session strategy revocable? acceptsDeletedUsers? importFrom empty accessTokens maxAge# updateAge# absoluteMaxAge# update();' +
  'timeouts request# callback# answer#;' +
  'runtime now() monotonic() schedule() fetch() random()'

/** The members of a capability: `[]` follows a list. */
export const capabilityNames: string =
  'id check() needs[] start() routes[] pages[] purposes[] fields[] limits[] cookies{} style[] methods{} signer{} recency{} proven{} admission{} typeNames() backups[] begun() renewed() endAll() deleting() members() limitChange() changed() done() renderForms() answers{} factor{} account[] getTokenSuffix() script'
