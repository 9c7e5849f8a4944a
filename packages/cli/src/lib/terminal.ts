import * as prompts from '@clack/prompts'
import { CliError } from './cli-error.ts'

/** Returns whether questions can be asked: both ends are a terminal, and no CI runs the program. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && !process.env['CI']
}

/** Prints a line of a result, which other programs may read. */
export function print(text: string = ''): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a line about the work, so that results can be piped. */
export function report(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** One of several values to choose from. */
export interface Choice<T extends string> {
  readonly value: T
  readonly label: string
  readonly hint?: string
}

/** @throws CliError if the user cancels */
export async function select<T extends string>(
  message: string,
  choices: readonly Choice<T>[],
  initial: T,
): Promise<T> {
  const options = choices as Parameters<typeof prompts.select<T>>[0]['options']
  return getAnswer(await prompts.select<T>({ message, options, initialValue: initial })) as T
}

/** @throws CliError if the user cancels */
export async function selectSeveral(
  message: string,
  choices: readonly Choice<string>[],
  initial: readonly string[],
): Promise<readonly string[]> {
  const options = choices.map((choice) => ({ ...choice }))
  const initialValues = [...initial]
  return getAnswer(
    await prompts.multiselect<string>({ message, options, initialValues, required: false }),
  )
}

/** @throws CliError if the user cancels */
export async function askText(message: string, initial: string): Promise<string> {
  return getAnswer(await prompts.text({ message, initialValue: initial }))
}

/** @throws CliError if the user cancels */
export async function confirm(message: string, initial: boolean): Promise<boolean> {
  return getAnswer(await prompts.confirm({ message, initialValue: initial }))
}

function getAnswer<T>(answer: T): Exclude<T, symbol> {
  if (prompts.isCancel(answer)) throw new CliError('cancelled: nothing was changed')
  return answer as Exclude<T, symbol>
}

/** Shows what is being done while it takes time: a spinner at a terminal, nothing elsewhere. */
export async function showProgress<T>(text: string, work: () => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY || process.env['CI']) return work()
  const spinner = prompts.spinner({ output: process.stderr })
  spinner.start(text)
  try {
    return await work()
  } finally {
    spinner.clear()
  }
}
