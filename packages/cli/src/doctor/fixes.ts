/** What to do about an option that `createAuth` or a storage refuses. */
interface Fix {
  /** The option, or the variable that sets it. */
  readonly option: RegExp
  /** The problem, if the option has several. */
  readonly problem?: RegExp
  readonly fix: string
}

/** In order: the first that matches is printed. */
const fixes: readonly Fix[] = [
  {
    option: /^AUTH_\w+$/,
    problem: /not a variable of Latchkey/,
    fix: 'correct or remove it; for a provider, add it to providers in auth.ts: npx latchkey providers names them',
  },
  {
    option: /^AUTH_<PROVIDER>_ID$/,
    fix: 'npx latchkey providers lists the variables, e.g. AUTH_GITHUB_ID and AUTH_GITHUB_SECRET',
  },
  {
    option: /^(secret|AUTH_SECRET)$/,
    fix: 'set AUTH_SECRET where this code runs: npx latchkey secret --write .env prints nothing and adds one',
  },
  {
    option: /^(serviceUrl|SERVICE_URL)$/,
    fix: 'set it to the URL that browsers use, such as https://example.com',
  },
  {
    option: /^(trustHost|AUTH_TRUST_HOST)$/,
    fix: 'set serviceUrl, or list the hosts: example.com,*.example.com; true only behind a proxy that checks Host',
  },
  {
    option: /^(trustedOrigins|AUTH_TRUSTED_ORIGINS)/,
    fix: 'list origins of the same scheme and site as serviceUrl only; an application of another site uses tokens (apiTokens)',
  },
  {
    option: /^(cookies\.session\.domain|AUTH_COOKIE_DOMAIN)$/,
    fix: 'use the host of serviceUrl or a domain above it, or remove it',
  },
  {
    option: /^(database|AUTH_DATABASE)$/,
    problem: /folder/,
    fix: 'create the folder, or correct the path: nodeSqliteStorage takes a path, for a URL use pgStorage or mysql2Storage of @latchkey/storage-sql',
  },
  {
    option: /^(database|AUTH_DATABASE)$/,
    fix: 'nodeSqliteStorage takes the path of a file that can be written; for a URL use pgStorage or mysql2Storage of @latchkey/storage-sql',
  },
  {
    option: /^@latchkey\/core$/,
    fix: 'npm ls --all @latchkey/core names the packages that have a copy of their own',
  },
  {
    option: /^adapter$/,
    fix: 'write storage: authjsStorage(adapter) of @latchkey/storage-authjs, or a new database of @latchkey/storage-sql',
  },
  {
    option: /^debug$/,
    fix: 'remove it: a logger with the function debug receives the details, logger: console logs all of them',
  },
  {
    option: /^session\.strategy$/,
    fix: "'jwt' of next-auth is 'cookie', 'database' is 'storage'; without the option a storage decides",
  },
  {
    option: /^(jwt|useSecureCookies|basePath|experimental)\b/,
    fix: 'remove it: the page on next-auth v4 in the manual names what takes its place',
  },
  {
    option: /./,
    problem: /capability factors\b/,
    fix: 'give the storage the option factors: sqlFactors() of @latchkey/storage-sql/factors; memoryStorage has it',
  },
  {
    option: /./,
    problem: /capability (grants|clients)\b/,
    fix: 'give the storage the option grants: sqlGrants() of @latchkey/storage-sql/grants; memoryStorage has both',
  },
  {
    option: /./,
    problem: /needs a storage with the capability/,
    fix: 'use a storage that has it, such as those of @latchkey/storage-sql',
  },
  {
    option: /^providers\.[\w-]+$/,
    problem: /storage/i,
    fix: 'give createAuth a storage, such as nodeSqliteStorage of @latchkey/storage-sql',
  },
  {
    option: /^providers$/,
    problem: /twice/,
    fix: 'give one of them an id: oidc({ id: "other", … }); its redirect URI then ends in /callback/other',
  },
  {
    option: /^providers$/,
    fix: 'call each provider with its options, as in github({ clientId, clientSecret }): npx latchkey providers <id>',
  },
]

/** Returns what to do about a refused option. */
export function getFix(option: string, problem: string): string {
  const known = fixes.find((row) => row.option.test(option) && (row.problem?.test(problem) ?? true))
  if (known) return known.fix
  const [, provider] = /^providers\.([\w-]+)\./.exec(option) ?? []
  if (/is missing/.test(problem)) return `set ${option}`
  return provider === undefined
    ? `correct ${option}`
    : `correct ${option}: npx latchkey providers ${provider} names its variables`
}
