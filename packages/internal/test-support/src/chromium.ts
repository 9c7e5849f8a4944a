import { existsSync } from 'node:fs'
import { reportMissing } from './servers.ts'

/**
 * Chromium without windows is the same engine: a page takes it less than half of the time, because it has
 * no process for each window.
 */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'
const installed = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium'
const executablePath: string = process.env['CHROMIUM'] ?? installed

const args: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** How playwright-core launches a browser. */
interface LaunchOptions {
  readonly executablePath: string
  readonly args: string[]
}

/** The options for the Chromium of the system, whose path `CHROMIUM` can give. */
export const chromiumOptions: LaunchOptions = { executablePath, args: [...args] }

/** Returns whether Chromium is installed. If it is not, it is reported as missing. */
export function hasChromium(): boolean {
  const exists = existsSync(executablePath)
  if (!exists) reportMissing(`Chromium at ${executablePath}`)
  return exists
}
