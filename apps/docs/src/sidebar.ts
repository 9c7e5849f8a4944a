/** A part of the manual, and its pages in the order in which they are read. */
export interface SidebarPart {
  readonly text: string
  /** Whether the part is folded until a reader opens it. */
  readonly collapsed?: boolean
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

/** The pages of the manual, by task. */
export const sidebar: readonly SidebarPart[] = [
  {
    text: 'Start',
    items: [
      { text: 'Passwords, passkeys and GitHub on Workers', link: '/start/' },
      { text: 'Cloudflare Workers', link: '/start/workers' },
      { text: 'Hono', link: '/start/hono' },
      { text: 'Node', link: '/start/node' },
      { text: 'Next.js', link: '/start/next' },
      { text: 'A React application', link: '/guide/react' },
      { text: 'Grow the application', link: '/guide/changes' },
      { text: 'Tests of your application', link: '/guide/tests' },
      { text: 'How it works', link: '/concepts' },
      { text: 'Troubleshooting by message', link: '/guide/troubleshooting' },
      { text: 'Misconfigurations', link: '/guide/misconfigurations' },
      { text: 'Examples', link: '/examples' },
    ],
  },
  {
    text: 'Other hosts and frameworks',
    collapsed: true,
    items: [
      { text: 'Overview', link: '/guide/frameworks' },
      { text: 'Deno', link: '/start/deno' },
      { text: 'Bun', link: '/start/bun' },
      { text: 'Express', link: '/start/express' },
      { text: 'Fastify', link: '/start/fastify' },
      { text: 'Nest', link: '/start/nest' },
      { text: 'Nuxt', link: '/start/nuxt' },
      { text: 'SvelteKit', link: '/start/sveltekit' },
      { text: 'Astro', link: '/start/astro' },
      { text: 'React Router', link: '/start/react-router' },
      { text: 'TanStack Start', link: '/start/tanstack-start' },
      { text: 'Koa', link: '/start/koa' },
      { text: 'H3', link: '/start/h3' },
      { text: 'Elysia', link: '/start/elysia' },
    ],
  },
  {
    text: 'Add',
    items: [
      { text: 'Passwords', link: '/guide/passwords' },
      { text: 'Password hashing', link: '/guide/password-hashing' },
      { text: 'Passkeys', link: '/guide/passkeys' },
      { text: 'Passkeys on several origins', link: '/guide/passkey-origins' },
      { text: 'A second factor', link: '/guide/second-factor' },
      { text: 'Identity providers', link: '/guide/providers' },
      { text: 'Email', link: '/guide/email' },
      { text: 'Your own email', link: '/guide/email-template' },
      { text: 'Credentials', link: '/guide/credentials' },
      { text: 'An account page', link: '/guide/account' },
      { text: 'Emails about security', link: '/guide/security-emails' },
    ],
  },
  {
    text: 'Protect',
    items: [
      { text: 'Sessions', link: '/guide/sessions' },
      { text: 'Roles and protected routes', link: '/guide/roles' },
      { text: 'Users', link: '/guide/users' },
      { text: 'Another domain, and SPAs', link: '/guide/origins' },
      { text: 'Tokens for APIs', link: '/guide/tokens' },
      { text: 'MCP servers and partners', link: '/guide/mcp' },
      { text: 'Be an OpenID provider', link: '/guide/openid-provider' },
      { text: 'Native applications', link: '/guide/mobile' },
      { text: 'Logout everywhere', link: '/guide/logout' },
      { text: 'Security', link: '/guide/security' },
      { text: 'How we know', link: '/how-we-know' },
      { text: 'Advisories of the field', link: '/advisories' },
    ],
  },
  {
    text: 'Look',
    items: [
      { text: 'Pages and themes', link: '/guide/pages' },
      { text: 'Languages', link: '/guide/languages' },
    ],
  },
  {
    text: 'Store',
    items: [
      { text: 'Overview', link: '/guide/storage' },
      { text: 'SQL databases', link: '/guide/storage-sql' },
      { text: 'Redis and Valkey', link: '/guide/storage-redis' },
      { text: 'Durable Objects and KV', link: '/guide/durable-objects' },
      { text: 'Adapters of Auth.js', link: '/guide/storage-authjs' },
    ],
  },
  {
    text: 'Deploy and operate',
    items: [
      { text: 'Deployment', link: '/guide/deployment' },
      { text: 'Docker', link: '/deploy/docker' },
      { text: 'Fly.io', link: '/deploy/fly' },
      { text: 'Vercel', link: '/deploy/vercel' },
      { text: 'Netlify', link: '/deploy/netlify' },
      { text: 'Deno Deploy', link: '/deploy/deno-deploy' },
      { text: 'Environment variables', link: '/guide/environment' },
      { text: 'The command line', link: '/guide/command-line' },
      { text: 'Operation', link: '/guide/operation' },
      { text: 'Operations and scale', link: '/guide/operations' },
    ],
  },
  {
    text: 'Move from',
    items: [
      { text: 'next-auth v4', link: '/migration/next-auth-v4' },
      { text: 'Auth.js v5', link: '/migration/auth-js-v5' },
      { text: 'better-auth', link: '/migration/better-auth' },
      { text: 'Supabase', link: '/migration/supabase' },
      { text: 'Credentials, to passwords', link: '/migration/credentials' },
      { text: 'Sign-outs at refresh', link: '/migration/refresh-races' },
      { text: 'Comparison', link: '/comparison' },
    ],
  },
  {
    text: 'Extend',
    items: [
      { text: 'Writing a provider', link: '/extend/provider' },
      { text: 'Writing a storage', link: '/extend/storage' },
      { text: 'Writing a capability', link: '/extend/capability' },
      { text: 'Contributing a change', link: '/extend/contribute' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Options', link: '/guide/options' },
      { text: 'Callbacks and events', link: '/guide/callbacks' },
      { text: 'The client and React', link: '/guide/client' },
      { text: 'REST interface', link: '/reference/rest' },
      { text: 'A sign-in with curl', link: '/reference/curl' },
      { text: 'Number by number', link: '/reference/interface' },
      { text: 'Error codes', link: '/reference/errors' },
      { text: 'API', link: '/reference/api/' },
      { text: 'Changelog', link: '/reference/changelog' },
    ],
  },
]
