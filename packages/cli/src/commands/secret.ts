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
    .option('--rotate <file>', 'put a new secret before the present one in this file')
    .addHelpText('after', help)
    .action((options: { write?: string; rotate?: string }) => {
      const secret = createSecret()
      if (options.write !== undefined) return writeSecret(options.write, secret)
      if (options.rotate !== undefined) return rotateSecret(options.rotate, secret)
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
  $ latchkey secret --rotate .env            the first one seals, all of them open: sessions stay

Remove the old one after the longest session (30 days by default).`

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

function rotateSecret(file: string, secret: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const line = /^(?<start>(?:export )?AUTH_SECRET=(?<quote>["']?))(?=[^\s"'])/m
  if (!line.test(text)) {
    throw new CliError(`expected AUTH_SECRET in ${file}, found none: add one with --write ${file}`)
  }
  restrictSecretFile(file, file)
  writeFileSync(
    file,
    text.replace(line, (start) => `${start}${secret},`),
  )
  report(`${file}: new cookies are sealed with the new secret, and existing cookies stay valid`)
}
