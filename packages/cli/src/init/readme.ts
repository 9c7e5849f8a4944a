import { getProviderVariables } from '../lib/provider-code.ts'
import { databases } from './databases.ts'
import { listUnconfirming } from './account.ts'
import type { Template, TemplateOptions } from './project-file.ts'

/** What the README says of each template. */
interface Facts {
  readonly envFile: string
  readonly source: string
  /** What to do for production. */
  readonly deploy: readonly string[]
}

const nodeDeploy = [
  '`npm start` starts the application in production, behind a reverse proxy that has the certificate.',
  'Set `SERVICE_URL` to the public URL, such as `https://app.example.com`, and `AUTH_CLIENT_IP_HEADER` to the header in which',
  'the proxy sends the client’s IP address.',
]

const facts: Readonly<Record<Template, Facts>> = {
  hono: { envFile: '.env', source: 'src/', deploy: nodeDeploy },
  node: { envFile: '.env', source: 'src/', deploy: nodeDeploy },
  next: {
    envFile: '.env.local',
    source: '',
    deploy: [
      '`npm run build` needs no variables. Then `npm start`, with the variables of production:',
      ...nodeDeploy.slice(1),
    ],
  },
  workers: {
    envFile: '.dev.vars',
    source: 'src/',
    deploy: [
      '`npx wrangler d1 create` prints the `database_id` for `wrangler.jsonc`, in which `SERVICE_URL` is the public URL. Set the',
      'secret with `npx wrangler secret put AUTH_SECRET`, and run `npm run deploy`.',
    ],
  },
}

/** Renders the README of a new project. */
export function renderReadme(options: TemplateOptions): string {
  const { name, template } = options
  const { source, deploy } = facts[template]
  return [
    `# ${name}`,
    '',
    'Sign-in with [Latchkey](https://github.com/latchkey-auth/latchkey).',
    '',
    '```sh',
    'npm install',
    'npm run dev',
    '```',
    '',
    ...renderFirstSignIn(options),
    '',
    '## What is where',
    '',
    `- \`${source}auth.ts\` configures the service: providers, and what a session has.`,
    ...renderDatabase(options),
    ...renderReact(options),
    ...renderAccount(options),
    ...renderMcp(options),
    '',
    '## Identity providers',
    '',
    ...renderProviders(options),
    '',
    '## Before you deploy',
    '',
    ...deploy,
    ...renderMcpDeploy(options),
    '',
    '`npx latchkey doctor` says what is missing or weak.',
    '',
  ].join('\n')
}

function renderFirstSignIn({ database, template }: TemplateOptions): readonly string[] {
  if (database === 'none') {
    return [
      'Open the URL that it prints. To sign in, set the variables of a provider first, as below.',
    ]
  }
  return [
    'Open the URL that it prints, and sign in with any email address: the link is printed in the terminal, because',
    `\`AUTH_EMAIL_SERVER\` in \`${facts[template].envFile}\` is \`console\`.`,
  ]
}

function renderDatabase({ database, template }: TemplateOptions): readonly string[] {
  const { source, envFile } = facts[template]
  if (database === 'none') return []
  const { label, url } = databases[database]
  const place = url
    ? `\`AUTH_DATABASE\` in \`${envFile}\``
    : '`AUTH_DATABASE`, by default `latchkey.sqlite`'
  return [
    `- \`${source}database.ts\` opens ${label}: ${database === 'd1' ? 'the binding `DB`' : place}.`,
    `- \`${source}mailer.ts\` sends the emails.`,
  ]
}

function renderReact({ react, template }: TemplateOptions): readonly string[] {
  if (!react) return []
  if (template === 'next') return ['- `app/profile` is rendered in the browser.']
  return [
    '- `client/` is a React application at `/app/`, which Vite builds: `npx vite build --watch` while you change it.',
  ]
}

function renderAccount({ account, providers }: TemplateOptions): readonly string[] {
  if (!account) return []
  const ids = listUnconfirming(providers).map((id) => `\`${id}\``)
  const names = ids.length > 1 ? `${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}` : ids.join('')
  return [
    '- `/api/auth/account` is the page on which users change their name, email address, ways to sign in and sessions, or delete the',
    '  account. It asks for a new sign-in before a change that could lock the user out.',
    ...(ids.length === 0
      ? []
      : [
          `- Users of ${names} confirm such a change by an email, and only if their email address is verified:`,
          "  these providers do not say when a user authenticated. `confirm: 'trust'` in the options of a provider accepts its sign-in.",
        ]),
  ]
}

function renderMcp({ name, tokenKeys }: TemplateOptions): readonly string[] {
  if (tokenKeys === undefined) return []
  return [
    '- `src/mcp.ts` has the tools, at `/mcp`. Clients act for the users who sign in and allow it, until they are removed on the',
    '  account page:',
    '',
    '  ```sh',
    `  claude mcp add --transport http ${name} http://localhost:8787/mcp`,
    '  ```',
  ]
}

function renderMcpDeploy({ tokenKeys }: TemplateOptions): readonly string[] {
  if (tokenKeys === undefined) return []
  return ['`TOKEN_KEYS` is a secret too: `npx latchkey keys --as-variable` prints new ones.']
}

function renderProviders({ providers, template }: TemplateOptions): readonly string[] {
  const { envFile } = facts[template]
  const chosen = providers.map((choice) => {
    const names = getProviderVariables(choice).map((variable) => `\`${variable.name}\``)
    return `- \`${choice.id}\`: ${names.join(', ')}`
  })
  return [
    '`npx latchkey providers` lists all, and `npx latchkey providers github` prints the callback URL to register, the variables and',
    'the lines for `auth.ts`.',
    ...(chosen.length === 0
      ? []
      : ['', `Replace these variables in \`${envFile}\`:`, '', ...chosen]),
  ]
}
