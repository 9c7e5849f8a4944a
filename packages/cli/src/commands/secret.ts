import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Command } from 'commander'
import { CliError } from '../lib/cli-error.ts'
import { restrictSecretFile } from '../lib/secret-file.ts'
import { print, report } from '../lib/terminal.ts'

/** Returns a new secret: 32 random bytes in base64url, 43 characters. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Creates the command `latchkey secret`. */
export function secretCommand(): Command {
  return new Command('secret')
    .description('Print a new AUTH_SECRET, or put one into a file of variables.')
    .option('--write <file>', 'add AUTH_SECRET to this file, which must not have one yet')
    .option('--rotate <file>', 'append a new secret to those in this file: it opens')
    .option('--promote <file>', 'put the last secret in this file first: it seals')
    .addHelpText('after', help)
    .action((options: { write?: string; rotate?: string; promote?: string }) => {
      const secret = createSecret()
      if (options.write !== undefined) return writeSecret(options.write, secret)
      if (options.rotate !== undefined) return appendSecret(options.rotate, secret)
      if (options.promote !== undefined) return promoteSecret(options.promote)
      print(secret)
    })
}

const help = `
The secret has 32 random bytes. It encrypts cookies, so that everyone who has it can sign in as
anyone: keep it out of the repository, and use another one for each environment. A file that every
user of the machine can read gets the mode 0600.

  $ latchkey secret                          print one
  $ latchkey secret --write .env             for development
  $ latchkey secret | npx wrangler secret put AUTH_SECRET

Replace a secret in three steps, each of them in all processes before the next one. The first secret
seals, and all of them open, so that no user is signed out:

  $ latchkey secret --rotate .env            1. append a new one
  $ latchkey secret --promote .env           2. put it first
                                             3. remove the old one after the longest session
                                                (30 days by default)`

function writeSecret(file: string, secret: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (parseEnv(text)['AUTH_SECRET']) {
    throw new CliError(`${file} has AUTH_SECRET already: replace it with --rotate ${file}`)
  }
  const kept = text.replace(/^AUTH_SECRET=.*\n?/m, '')
  const separator = kept === '' || kept.endsWith('\n') ? '' : '\n'
  restrictSecretFile(file, file)
  writeFileSync(file, `${kept}${separator}AUTH_SECRET=${secret}\n`, { mode: 0o600 })
  report(`AUTH_SECRET was added to ${file}`)
}

/** The first step of a replacement: every process must open the new secret before one seals with it. */
function appendSecret(file: string, secret: string): void {
  changeSecrets(file, (secrets) => [...secrets, secret])
  report(`${file}: deploy it everywhere, and only then: latchkey secret --promote ${file}`)
}

/** The second step of a replacement. */
function promoteSecret(file: string): void {
  changeSecrets(file, (secrets) => {
    const last = secrets.at(-1)
    if (last !== undefined && secrets.length > 1) return [last, ...secrets.slice(0, -1)]
    throw new CliError(
      `expected several secrets in ${file}, found one: --rotate ${file} appends one`,
    )
  })
  report(`${file}: new cookies are sealed with the first secret, and existing cookies stay valid`)
}

/** As files of variables are read: `#` begins a comment, except in quotes. */
const line =
  /^(?<start>(?:export )?AUTH_SECRET=)(?<value>"[^"]*[^"\s][^"]*"|'[^']*[^'\s][^']*'|[^\s"'#]+)/m

/** Changes the list of secrets in a file, whatever quotes it has. */
function changeSecrets(file: string, change: (secrets: readonly string[]) => string[]): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const { start, value } = line.exec(text)?.groups ?? {}
  if (start === undefined || value === undefined) {
    throw new CliError(`expected AUTH_SECRET in ${file}, found none: add one with --write ${file}`)
  }
  const [quote = ''] = /^["']/.exec(value) ?? []
  const list = quote === '' ? value : value.slice(1, -1)
  const secrets = list.split(/[,\r\n]+/).flatMap((each) => each.trim() || [])
  const changed = quote + change(secrets).join(',') + quote
  restrictSecretFile(file, file)
  writeFileSync(
    file,
    text.replace(line, () => start + changed),
  )
}
