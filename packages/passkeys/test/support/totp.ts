import type { Browser } from '@latchkey/testing'
import { TOTP } from 'otpauth'

/** Enrols an authenticator app in the session of a browser. The page shows recovery codes (200), or the answer leads on (302). */
export async function enrolApp(
  browser: Browser,
  timestamp: number,
): Promise<{ readonly app: TOTP; readonly status: number }> {
  await browser.submit('/signin/totp', { link: 'true' })
  const page = await (await browser.visit('/signin?second=true')).text()
  const app = new TOTP({ secret: /otpauth:[^"]+secret=(\w+)/.exec(page)?.[1] ?? '' })
  const { status } = await browser.submit('/signin/totp', { code: app.generate({ timestamp }) })
  return { app, status }
}
