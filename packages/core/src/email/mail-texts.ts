import type { Language, MailMessages, Messages } from '../ports/messages.ts'

/** Returns the texts of sign-in emails. English replaces those that a language leaves out. */
export function getMailTexts({ mail }: Messages): MailMessages {
  return { ...englishMail, ...mail }
}

/** Returns a language with the texts of emails, for a function of the application that writes them. */
export function withMailTexts({ tag, messages }: Language): Language {
  return { tag, messages: { ...messages, mail: getMailTexts(messages) } }
}

/** The English texts: they are here so that only applications with emails bundle them. */
export const englishMail: MailMessages = {
  subject: 'Sign in to {name}',
  text: 'Open this link to sign in to {name}:',
  linkSubject: 'Add this email address to your account at {name}',
  linkText: 'Open this link only if you are adding this email address to your account at {name}:',
  confirmSubject: 'Confirm that it is you at {name}',
  confirmText: 'Open this link to confirm that it is you at {name}:',
  code: 'Or type this code on the page where you requested it:',
  note: 'It works once and expires in {name}. If you did not request it, ignore this email.',
}
