import { createAuth } from '@latchkey/core'
import type { UserImportSummary } from '@latchkey/passwords/import-users'
import { describeFailure } from '../application/open-application.ts'
import type { OpenApplication } from '../application/open-application.ts'
import { CliError, describeThrown } from '../lib/cli-error.ts'
import { print, report } from '../lib/terminal.ts'
import { importUsers } from '@latchkey/passwords/import-users'
import type { ReportFile } from './report-file.ts'

/** Rows between two lines about the progress. */
const STEP = 1000

/** Users to import into the storage of an application. */
interface UserImport extends Pick<OpenApplication, 'config' | 'file'> {
  readonly rows: AsyncIterable<unknown>
  /** Lists the refused rows. */
  readonly refused: ReportFile
  readonly dryRun: boolean
  readonly addsPasswords: boolean
}

/** Imports users until they end, or Ctrl-C is pressed. Their errors are printed by the caller. */
export async function runImport(work: UserImport): Promise<UserImportSummary> {
  const { config, file, rows, refused, dryRun, addsPasswords } = work
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  try {
    return await importUsers(createAuth(config), rows, {
      dryRun,
      addsPasswords,
      signal: controller.signal,
      onRefused: refused.write,
      onProgress: createProgress(),
    })
  } catch (thrown) {
    const failure = describeFailure(thrown, file)
    if (failure === thrown) throw thrown
    throw new CliError(`${describeThrown(thrown)}\n${describeThrown(failure)}`)
  } finally {
    refused.close()
  }
}

function createProgress(): (summary: UserImportSummary) => void {
  let next = STEP
  return ({ imported, unchanged, refused }) => {
    const rows = imported + unchanged + refused
    if (rows < next) return
    next = rows - (rows % STEP) + STEP
    report(`${rows} rows: ${imported} imported, ${unchanged} unchanged, ${refused} refused`)
  }
}

/** Prints what was done, what the hashes cost, and where the refused rows are listed. */
export function printSummary(
  { imported, unchanged, refused, costs, isComplete }: UserImportSummary,
  { dryRun, name }: { readonly dryRun: boolean; readonly name: string },
): void {
  print(`${imported} ${dryRun ? 'to import' : 'imported'}`)
  print(`${unchanged} unchanged`)
  print(`${refused} refused`)
  for (const { cost, rows, problem } of costs) {
    report(`${rows} hashes: ${cost}${problem === undefined ? '' : `, refused: ${problem}`}`)
  }
  if (refused > 0) report(`${name} lists the refused rows with their reasons`)
  if (!isComplete) report(`stopped after ${imported + unchanged + refused} rows: run it again`)
}
