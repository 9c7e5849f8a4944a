import { styleText } from 'node:util'
import { providers } from '@latchkey/environment/providers'
import { Command, Option } from 'commander'
import { templateNames } from '../init/choices.ts'
import type { Template } from '../init/project-file.ts'
import { readProject } from '../init/project.ts'
import { UsageError } from '../lib/cli-error.ts'
import { getVariable, loadEnvironment } from '../lib/env-file.ts'
import { findOwnProvider } from '../lib/own-providers.ts'
import type { OwnProvider } from '../lib/own-providers.ts'
import {
  getOptionalVariables,
  getProviderVariables,
  parseProvider,
  renderProvider,
} from '../lib/provider-code.ts'
import type { ProviderChoice, ProviderVariable } from '../lib/provider-code.ts'
import { readProviderNotes } from '../lib/provider-notes.ts'
import type { Note } from '../lib/provider-notes.ts'
import { print } from '../lib/terminal.ts'

interface ProvidersOptions {
  readonly json?: true
  readonly serviceUrl?: string
  readonly template?: Template
}

/** Creates the command `latchkey providers`. */
export function providersCommand(): Command {
  return new Command('providers')
    .description('List the identity providers, or what one of them needs.')
    .argument('[id]', 'show this provider: its variables, and what to set at its console')
    .option('--json', 'print JSON')
    .option('--service-url <url>', 'the URL of your application (default: SERVICE_URL)')
    .addOption(
      new Option('--template <name>', 'the lines for this kind of project').choices(templateNames),
    )
    .addHelpText('after', help)
    .action((id: string | undefined, options: ProvidersOptions) => {
      const own = findOwnProvider(id)
      if (own) return print(options.json ? JSON.stringify(own, null, 2) : renderOwn(own))
      const choices =
        id === undefined ? providers.map((row) => ({ row, id: row.id })) : [parseProvider(id)]
      const details = choices.map((choice) => describe(choice, options))
      if (options.json)
        return print(JSON.stringify(id === undefined ? details : details[0], null, 2))
      for (const each of details) print(id === undefined ? renderLine(each) : renderDetails(each))
    })
}

const help = `
  $ latchkey providers                                  every provider with its variables
  $ latchkey providers github                           what to click at GitHub, and lines for auth.ts
  $ latchkey providers google --service-url https://example.com
  $ latchkey providers oidc:acme                        another OpenID provider, with the id "acme"
  $ latchkey providers passwords                        also passkeys, email and credentials

Paste the lines into auth.ts: the import at the top, the rest into providers of createAuth. A second
provider of a kind needs the import once. Any other OpenID provider is "oidc".`

interface Details {
  readonly id: string
  readonly title: string
  readonly callbackUrl: string
  /** Whether the URL of the application is not known. */
  readonly isGuess: boolean
  readonly required: readonly string[]
  readonly optional: readonly ProviderVariable[]
  readonly code: ReturnType<typeof renderProvider>
  readonly notes: readonly Note[]
  readonly url: string | undefined
}

function describe(choice: ProviderChoice, options: ProvidersOptions): Details {
  const { row, id } = choice
  const { title, notes, url } = readProviderNotes(row.id)
  const folder = process.cwd()
  const serviceUrl = options.serviceUrl ?? getVariable(loadEnvironment(folder).env, 'SERVICE_URL')
  const template = options.template ?? readProject(folder).template
  return {
    id,
    title: row.id === 'oidc' ? 'any OpenID provider' : title,
    callbackUrl: toCallbackUrl(id, serviceUrl),
    isGuess: serviceUrl === undefined,
    required: getProviderVariables(choice).map(({ name }) => name),
    optional: getOptionalVariables(choice),
    code: renderProvider(choice, template === 'workers' ? 'env' : 'process.env'),
    notes: notes.filter((note) => note.title !== 'Callback URL'),
    url,
  }
}

/** A service URL without a path stands for `/api/auth` (I-1). */
function toCallbackUrl(id: string, serviceUrl: string = 'http://localhost:3000'): string {
  const url = URL.parse(serviceUrl)
  if (!url)
    throw new UsageError(`expected a URL such as https://example.com, found "${serviceUrl}"`)
  const path = url.pathname === '/' ? '/api/auth' : url.pathname.replace(/\/$/, '')
  return `${url.origin}${path}/callback/${id}`
}

function renderLine({ id, title, required, optional }: Details): string {
  const names = [...required, ...optional.map(({ name }) => `[${name}]`)].join(' ')
  return `${styleText('bold', id.padEnd(20))} ${title}\n${' '.repeat(21)}${styleText('dim', names)}`
}

function renderDetails(details: Details): string {
  const { id, title, callbackUrl, isGuess, required, optional, code, notes, url } = details
  const guess = 'a guess: SERVICE_URL is not set, and --service-url <url> replaces it'
  return [
    styleText('bold', `${title}, "${id}"`),
    '',
    `Callback URL, ${isGuess ? guess : 'to register there exactly'}:`,
    `  ${callbackUrl}`,
    'Variables:',
    ...required.map((name) => `  ${name}=`),
    'In auth.ts:',
    `  ${code.import}`,
    '',
    ...code.lines.map((line) => `    ${line}`),
    '',
    ...optional.map(({ name, option }) => wrap(`Optional: ${option}, for example of ${name}`)),
    ...notes.map((note) =>
      note.title === undefined ? wrap(note.text) : `${note.title}:\n${wrap(note.text)}`,
    ),
    ...(url === undefined ? [] : [`See ${url}`]),
  ].join('\n')
}

const LINE = 78

/** Breaks a text into lines of a terminal, indented. */
function wrap(text: string): string {
  return text.replaceAll(new RegExp(`(.{1,${LINE}})(?: |$)`, 'g'), '  $1\n').trimEnd()
}

function renderOwn({ id, title, install, imports, lines, note }: OwnProvider): string {
  return [
    styleText('bold', `${title}, "${id}"`),
    '',
    ...(install === undefined ? [] : ['Install:', `  npm install ${install}`]),
    'In auth.ts:',
    ...imports.map((line) => `  ${line}`),
    '',
    ...lines.map((line) => `    ${line}`),
    '',
    wrap(note),
  ].join('\n')
}
