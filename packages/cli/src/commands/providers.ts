import { styleText } from 'node:util'
import { getVariableNames } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { Command } from 'commander'
import { UsageError } from '../lib/cli-error.ts'
import { getVariable, loadEnvironment } from '../lib/env-file.ts'
import { readProviderNotes } from '../lib/provider-notes.ts'
import type { Note } from '../lib/provider-notes.ts'
import { renderProviderRow } from '../lib/provider-row.ts'
import { print } from '../lib/terminal.ts'

type Row = (typeof providers)[number]

/** Creates the command `latchkey providers`. */
export function providersCommand(): Command {
  return new Command('providers')
    .description('List the identity providers, or what one of them needs.')
    .argument('[id]', 'show this provider: its variables, and what to set at its console')
    .option('--json', 'print JSON')
    .option('--service-url <url>', 'the URL of your application (default: SERVICE_URL)')
    .addHelpText('after', help)
    .action((id: string | undefined, options: { json?: true; serviceUrl?: string }) => {
      const rows = id === undefined ? providers : [findRow(id)]
      const url =
        options.serviceUrl ?? getVariable(loadEnvironment(process.cwd()).env, 'SERVICE_URL')
      const details = rows.map((row) => describe(row, url))
      if (options.json)
        return print(JSON.stringify(id === undefined ? details : details[0], null, 2))
      for (const each of details) print(id === undefined ? renderLine(each) : renderDetails(each))
    })
}

const help = `
  $ latchkey providers                                  every provider with its variables
  $ latchkey providers github                           what to click at GitHub
  $ latchkey providers google --service-url https://example.com

A provider is offered as soon as its variables are set, and it is in the list of your auth.ts. Any
other OpenID provider is "oidc".`

function findRow(id: string): Row {
  const row = providers.find((each) => each.id === id)
  if (row) return row
  const ids = providers.map((each) => each.id).join(', ')
  throw new UsageError(`expected one of ${ids}; found "${id}"`)
}

interface Details {
  readonly id: string
  readonly title: string
  readonly callbackUrl: string
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly code: ReturnType<typeof renderProviderRow>
  readonly notes: readonly Note[]
  readonly url: string | undefined
}

function describe(row: Row, serviceUrl: string | undefined): Details {
  const { title, notes, url } = readProviderNotes(row.id)
  const names = getVariableNames(row)
  const count = Object.keys(row.required).length
  return {
    id: row.id,
    title: row.id === 'oidc' ? 'any OpenID provider' : title,
    callbackUrl: toCallbackUrl(row.id, serviceUrl),
    required: names.slice(0, count),
    optional: names.slice(count),
    code: renderProviderRow(row),
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
  const names = [...required, ...optional.map((name) => `[${name}]`)].join(' ')
  return `${styleText('bold', id.padEnd(20))} ${title}\n${' '.repeat(21)}${styleText('dim', names)}`
}

function renderDetails(details: Details): string {
  const { id, title, callbackUrl, required, optional, code, notes, url } = details
  return [
    styleText('bold', `${title}, "${id}"`),
    '',
    'Callback URL, to register there exactly:',
    `  ${callbackUrl}`,
    'Variables:',
    ...required.map((name) => `  ${name}=`),
    ...optional.map((name) => `  ${name}=   (optional)`),
    'In auth.ts:',
    `  ${code.import}`,
    `  ${code.row}`,
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
