import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

/** The path of Chromium. */
export const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts Chromium, which the caller closes. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args })
}
