import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSelfSigned } from '@latchkey/test-support/certificate'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { findProgram, runProgram } from '@latchkey/test-support/system-program'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

/** The hosts of the services, and their certificate. */
export const certificate = getSelfSigned('DNS:auth.example.test,DNS:other.example.test')

const CERTUTIL = '/usr/bin/certutil'

/** Returns whether Chromium and `certutil` are installed. If one is not, it is reported as missing. */
export function hasSecureBrowser(): boolean {
  const hasCertutil = findProgram('certutil (libnss3-tools)', [CERTUTIL]) !== undefined
  return hasChromium() && hasCertutil
}

/** A Chromium that trusts {@link certificate}. */
export interface SecureBrowser extends AsyncDisposable {
  readonly browser: Browser
}

/**
 * Starts Chromium with a separate home folder, whose certificate store trusts the certificate: Chromium refuses WebAuthn on pages
 * whose certificate has an error, also if a flag ignores the error.
 */
export async function launchSecureBrowser(): Promise<SecureBrowser> {
  const home = createHome()
  const browser = await chromium.launch({
    ...chromiumOptions,
    args: [...chromiumOptions.args, '--host-resolver-rules=MAP *.example.test 127.0.0.1'],
    env: { ...process.env, HOME: home },
  })
  const stop = async (): Promise<void> => {
    await browser.close()
    rmSync(home, { recursive: true })
  }
  return { browser, [Symbol.asyncDispose]: stop }
}

/** @returns The path of a home folder with a certificate store */
function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'latchkey-chromium-'))
  const folder = join(home, '.pki/nssdb')
  const file = join(home, 'certificate.pem')
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, certificate.certificate)
  const store = ['-d', `sql:${folder}`]
  runProgram(CERTUTIL, ['-N', ...store, '--empty-password'])
  runProgram(CERTUTIL, ['-A', ...store, '-n', 'test', '-t', 'C,,', '-i', file])
  return home
}
