import { sweepAll } from '@latchkey/storage-sql/sweep'
import { Command, InvalidArgumentError } from 'commander'
import { addSourceOptions, openSource } from '../application/database-source.ts'
import type { DatabaseSource, SourceUse } from '../application/database-source.ts'
import { workWith } from '../lib/database.ts'
import { isSweepable } from '../lib/sql-storage.ts'
import type { SweepableStorage } from '../lib/sql-storage.ts'
import { print, report, showProgress } from '../lib/terminal.ts'

interface SweepOptions extends DatabaseSource {
  readonly batch: number
  readonly pause: number
}

/** Creates the command `latchkey sweep`. */
export function sweepCommand(): Command {
  const command = new Command('sweep').description(
    'Delete expired sessions, tokens, counters and revocations.',
  )
  return addSourceOptions(command)
    .option('--batch <rows>', 'rows of each table in one transaction', toCount(1), 1000)
    .option('--pause <ms>', 'milliseconds between two transactions', toCount(0), 0)
    .addHelpText('after', help)
    .action((options: SweepOptions) => sweep(process.cwd(), options))
}

const help = `
The database is the storage of your application: its module is loaded. Without a module, AUTH_DATABASE
names the database. Nothing that has expired is ever used: this only frees space. The service sweeps a little with its
writes, and apps/node once an hour; a job of your own suits services that write seldom. Several
processes may sweep at the same time, beside the service. Ctrl-C ends it after the transaction in
progress.

  $ latchkey sweep                                         the storage of src/auth.ts
  $ latchkey sweep --database postgres://user:password@host/app
  $ latchkey sweep --batch 200 --pause 100                 gently

It prints the number of deleted rows. Redis deletes expired keys itself. On Workers, a cron trigger
sweeps D1.`

async function sweep(folder: string, options: SweepOptions): Promise<void> {
  const { batch, pause } = options
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  const { signal } = controller
  const source = await openSource(folder, options, use)
  try {
    await workWith(source, 'swept', async ({ storage, description }) => {
      const deleted = await showProgress(`Sweeping ${description}`, () =>
        sweepAll(storage, { batch, pause, signal }),
      )
      print(String(deleted))
      report(`${description}: ${deleted} expired ${deleted === 1 ? 'row' : 'rows'} deleted`)
    })
  } finally {
    await source.closeApplication()
  }
}

const use: SourceUse<SweepableStorage> = {
  createsFiles: false,
  isUsable: isSweepable,
  unusable: 'a storage without expired rows to delete',
  forD1: 'a cron trigger sweeps it',
  withoutApplication: 'AUTH_DATABASE is swept in its place',
}

function toCount(least: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,6}$/.test(text) ? Number(text) : NaN
    if (count >= least) return count
    throw new InvalidArgumentError(`Expected a whole number from ${least} to 999999.`)
  }
}
