import { createAuth } from '@latchkey/core'
import type { Storage } from '@latchkey/core'
import { resealFactors } from '@latchkey/second-factor/reseal-factors'
import type { ResealOptions, ResealSummary } from '@latchkey/second-factor/reseal-factors'
import { Command } from 'commander'
import { closeStorage, describeFailure, openApplication } from '../application/open-application.ts'
import type { OpenApplication } from '../application/open-application.ts'
import { UsageError } from '../lib/cli-error.ts'
import { print, report } from '../lib/terminal.ts'
import { readD1Binding } from '../lib/wrangler.ts'

interface FactorsOptions {
  readonly config?: string
  readonly env?: string
  readonly dryRun?: true
}

/** Creates the command `latchkey factors`. */
export function factorsCommand(setCode: (code: number) => void): Command {
  const command = new Command('reseal')
    .description('Seal the keys of second factors with the first secret.')
    .option(
      '--config <file>',
      'the module that calls createAuth (default: src/auth.ts, auth.ts, …)',
    )
    .option('--env <file>', 'read variables from this file (default: .env, .env.local, .dev.vars)')
    .option('--dry-run', 'count what would be sealed, and change nothing')
    .addHelpText('after', help)
    .action(async (options: FactorsOptions) => setCode(await runReseal(process.cwd(), options)))
  return new Command('factors').description('Care for second factors.').addCommand(command)
}

const help = `
The module of your application that calls createAuth is loaded, for its secrets and its storage. Run it
when every process has the new secret as the first entry of \`secret\`, and before you remove the
previous one. Users can sign in meanwhile, and sessions continue. Ctrl-C ends it after the user in
progress; run it again to continue.

  $ latchkey factors reseal --dry-run
  $ latchkey factors reseal --env production.env

Exit codes: 0 every key has the first secret, 1 some cannot be opened, which are listed, or it was stopped.`

/** Users between two lines about the progress. */
const STEP = 1000

async function runReseal(folder: string, options: FactorsOptions): Promise<number> {
  if (readD1Binding(folder)) {
    const instead = 'call resealFactors of @latchkey/second-factor/reseal-factors in the Worker'
    throw new UsageError(`the users of this project are in D1: ${instead}`)
  }
  const { close, ...application } = await openApplication(folder, options)
  try {
    const summary = await reseal(application, options.dryRun === true)
    printSummary(summary, options)
    return summary.isComplete && summary.unreadable.length === 0 ? 0 : 1
  } finally {
    await close()
  }
}

async function reseal(
  { config, file }: Pick<OpenApplication, 'config' | 'file'>,
  dryRun: boolean,
): Promise<ResealSummary> {
  const { storage } = config
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  const userIds = listFactorUsers(storage)
  const options = { dryRun, signal: controller.signal, onProgress: reportProgress }
  try {
    return await resealFactors(createAuth(config), { ...options, ...(userIds && { userIds }) })
  } catch (thrown) {
    throw describeFailure(thrown, file)
  } finally {
    await closeStorage(storage)
  }
}

/** Returns the ids of the users of a storage of `@latchkey/storage-redis`, which does not list users. */
function listFactorUsers(storage: Storage | undefined): ResealOptions['userIds'] {
  return storage && hasFactorUsers(storage) ? storage.listFactorUsers() : undefined
}

interface FactorUsers {
  listFactorUsers(): AsyncIterable<string>
}

function hasFactorUsers(storage: object): storage is FactorUsers {
  return 'listFactorUsers' in storage && typeof storage.listFactorUsers === 'function'
}

function reportProgress({ users, resealed, unreadable }: ResealSummary): void {
  if (users % STEP !== 0) return
  report(`${users} users: ${resealed} resealed, ${unreadable.length} unreadable`)
}

function printSummary(
  { users, resealed, current, unreadable, isComplete }: ResealSummary,
  { dryRun }: FactorsOptions,
): void {
  print(`${resealed} ${dryRun ? 'to reseal' : 'resealed'}`)
  print(`${current} already current`)
  print(`${unreadable.length} unreadable`)
  for (const { type, userId } of unreadable)
    print(`  ${type} of the user ${JSON.stringify(userId)}`)
  if (!isComplete) report(`stopped after ${users} users: run it again`)
  else if (unreadable.length > 0) {
    report('keep the previous secret, or remove these factors: their users set them up again')
  }
}
