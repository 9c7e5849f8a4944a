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
  const options = choices.map((choice) => ({ ...choice }))
  const answer = getAnswer<string>(
    await prompts.select<string>({ message, options, initialValue: initial }),
  )
  return choices.find(({ value }) => value === answer)?.value ?? initial
}

/**
 * Asks for any number of values, which typing filters.
 *
 * @throws CliError if the user cancels
 */
export async function selectSeveral(
  message: string,
  choices: readonly Choice<string>[],
): Promise<readonly string[]> {
  const options = choices.map((choice) => ({ ...choice }))
  return getAnswer<readonly string[]>(
    await prompts.autocompleteMultiselect<string>({
      message,
      options,
      maxItems: 10,
      required: false,
    }),
  )
}

/**
 * Asks for a text.
 *
 * @param check Returns what is wrong with an answer; undefined if it can be used
 * @throws CliError if the user cancels
 */
export async function askText(
  message: string,
  initial: string,
  check: (answer: string) => string | undefined,
): Promise<string> {
  const validate = (answer: string | undefined): string | undefined => check(answer ?? '')
  return getAnswer<string>(await prompts.text({ message, initialValue: initial, validate }))
}

/** @throws CliError if the user cancels */
export async function confirm(message: string, initial: boolean): Promise<boolean> {
  return getAnswer<boolean>(await prompts.confirm({ message, initialValue: initial }))
}

function getAnswer<T>(answer: T | symbol): T {
  if (typeof answer === 'symbol') throw new CliError('cancelled: nothing was changed')
  return answer
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
