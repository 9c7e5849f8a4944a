import { editText } from '../lib/edit-text.ts'
import type { Edit } from '../lib/edit-text.ts'
import type { ProviderChoice } from '../lib/provider-code.ts'
import { readProviderNotes } from '../lib/provider-notes.ts'
import { editFile } from './project-file.ts'
import type { ProjectFile, Template } from './project-file.ts'

/** The parts of `auth.ts` of a template at which the page is added. */
const anchors = {
  firstProvider: /^import .* from '@latchkey\/core\/providers\/.*'\n/m,
  callbacks: /^( *)callbacks: \{$/m,
  session: /^( *)session: \(\{ session \}\) => session,$/m,
}

const accountImport = `import { accountPages } from '@latchkey/account'\n`

/** A session keeps the name of its sign-in: a user who changes it must see the change in the application too. */
const sessionCallback = [
  `// The stored user has the changes of the account page.`,
  `session: ({ session, user = session.user }) => ({`,
  `  ...session,`,
  `  user: {`,
  `    ...session.user,`,
  `    name: user.name,`,
  `    email: user.email,`,
  `    emailVerified: user.emailVerified,`,
  `  },`,
  `}),`,
]

/** Adds the account page to `auth.ts` of a template. */
export function addAccountPages(text: string): string {
  const [provider = 'a provider'] = anchors.firstProvider.exec(text) ?? []
  const [callbacks = 'callbacks', indent = ''] = anchors.callbacks.exec(text) ?? []
  const [session = 'callbacks.session', inner = ''] = anchors.session.exec(text) ?? []
  return editText(text, [
    [provider, accountImport + provider],
    [callbacks, `${indent}use: [accountPages()],\n${callbacks}`],
    [session, sessionCallback.map((line) => inner + line).join('\n')],
  ])
}

/** What the page of a template that needs a session is called beside the account page. */
const membersTitle = 'For members'

/** The page that links to the account. */
const homePages: Readonly<Record<Template, string>> = {
  hono: 'src/app.ts',
  node: 'src/app.ts',
  workers: 'src/app.ts',
  next: 'app/page.tsx',
}

/** Links to the account page. The page of the template that needs a session gets another URL and title. */
export function addAccountLink(
  files: readonly ProjectFile[],
  template: Template,
): readonly ProjectFile[] {
  const renamed = files.map(({ path, content }) => ({
    path: path.replace(/^app\/account\//, 'app/members/'),
    content: /\.tsx?$/.test(path) ? renamePage(content) : content,
  }))
  const path = homePages[template]
  const home = renamed.find((file) => file.path === path)?.content ?? ''
  return editFile(renamed, path, [template === 'next' ? nextEdit : toLinkEdit(home)])
}

function renamePage(text: string): string {
  return text
    .replaceAll(/(?<=['"=])\/account\b/g, '/members')
    .replaceAll('Your account', membersTitle)
}

/** Returns the edit that puts the link before the link to the page for members. */
function toLinkEdit(text: string): Edit {
  const [found = '/members', indent = ''] =
    /^( *)<a class="button" href="\/members">.*$/m.exec(text) ?? []
  const account = `${indent}<a class="button" href="\${auth.basePath}/account">Your account</a>`
  return [found, `${account}\n${indent}<a href="/members">${membersTitle}</a>`]
}

const nextEdit: Edit = [
  `        <a className="button" href="/members">
          ${membersTitle}
        </a>
`,
  `        <a className="button" href="/api/auth/account">
          Your account
        </a>
        <a href="/members">${membersTitle}</a>
`,
]

/**
 * Returns the ids of the providers that do not say when their users authenticated, so that only an email to a
 * verified email address confirms who such a user is (I-51).
 */
export function listUnconfirming(choices: readonly ProviderChoice[]): readonly string[] {
  return choices
    .filter(({ row }) => readProviderNotes(row.id).title.includes('(OAuth 2.0)'))
    .map(({ id }) => id)
}
