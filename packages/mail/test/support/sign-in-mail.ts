import type { Mail } from '@latchkey/core'

export const link =
  'https://app.example/api/auth/callback/email?token=dGhlLXRva2VuLW9mLXRoZS1saW5r&x=1'

/** Creates a sign-in email with the changes of a test. */
export function createSignInMail(changes: Partial<Mail> = {}): Mail {
  return {
    to: { address: 'alice@example.com' },
    from: { address: 'sign-in@app.example', name: 'Example' },
    subject: 'Sign in to app.example',
    text: `Sign in to app.example\n\n${link}\n\n123456\n`,
    html: `<!doctype html>\n<p><a href="${link.replace('&', '&amp;')}">Sign in</a> 123456</p>\n`,
    ...changes,
  }
}
