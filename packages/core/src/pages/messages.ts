import type { ErrorCode } from '../errors.ts'
import type { Language, Messages } from '../ports/messages.ts'

/** What a configuration may replace of a language, and what it must give of a new one: any part; English fills the gaps. */
export type MessagesOptions = Readonly<
  Record<
    string,
    Partial<Omit<Messages, 'errors' | 'mail'>> & {
      readonly errors?: Partial<Messages['errors']>
      readonly mail?: Partial<Messages['mail']>
    }
  >
>

const again = 'Signing in did not work. Please try again.'

const en: Messages = {
  direction: 'ltr',
  signIn: 'Sign in',
  signInWith: 'Sign in with {name}',
  signInTo: 'to continue to {name}',
  signOut: 'Sign out',
  signOutQuestion: 'Do you want to sign out?',
  checkEmail: 'Check your e-mail',
  checkEmailText: 'We have sent you a link that signs you in. You may close this page.',
  email: 'E-mail address',
  code: 'Or type the six-digit code from the e-mail',
  wrongCode: 'This code is not right, or no longer valid.',
  confirm: 'Sign in as {name}?',
  confirmText: 'You opened a sign-in link. If you did not ask for it, close this page.',
  mail: {
    subject: 'Sign in to {name}',
    text: 'Open this link to sign in to {name}:',
    linkSubject: 'Add this address to your account at {name}',
    linkText:
      'Open this link only if you yourself are adding this address to your account at {name}:',
    code: 'Or type this code on the page where you asked for it:',
    note: 'It works once, for {name} minutes. If you did not ask for it, ignore this message: nothing has happened.',
  },
  error: 'Something went wrong',
  back: 'Back to {name}',
  errors: {
    Configuration: 'This service is not set up correctly. Please tell the people who run it.',
    AccessDenied: 'You are not allowed to sign in.',
    Verification: 'This sign-in link is no longer valid: it was used already or has expired.',
    Default: 'This request could not be handled.',
    OAuthSignin: 'The sign-in provider cannot be reached. Please try again in a moment.',
    OAuthCallback: again,
    OAuthCreateAccount: 'Your account could not be created. Please try again.',
    OAuthAccountNotLinked: 'Please sign in the way you did the first time.',
    EmailSignin: 'The e-mail could not be sent. Please check the address.',
    EmailCreateAccount: 'Your account could not be created. Please try again.',
    CredentialsSignin: 'These details are not right. Please check them.',
    Callback: again,
    SessionRequired: 'Please sign in to see this page.',
    Csrf: 'This page had expired. Nothing has happened yet: please try again.',
    Cancelled: 'You cancelled the sign-in. You can try again whenever you like.',
    RateLimited: 'Too many tries. Please wait a little.',
    Unavailable: 'This service is not available right now. Please try again in a moment.',
  },
}

const nochmal = 'Die Anmeldung hat nicht geklappt. Bitte versuchen Sie es noch einmal.'

const de: Messages = {
  direction: 'ltr',
  signIn: 'Anmelden',
  signInWith: 'Mit {name} anmelden',
  signInTo: 'weiter zu {name}',
  signOut: 'Abmelden',
  signOutQuestion: 'Möchten Sie sich abmelden?',
  checkEmail: 'Sehen Sie in Ihr Postfach',
  checkEmailText:
    'Wir haben Ihnen einen Link geschickt, der Sie anmeldet. Sie können diese Seite schließen.',
  email: 'E-Mail-Adresse',
  code: 'Oder geben Sie den sechsstelligen Code aus der E-Mail ein',
  wrongCode: 'Dieser Code stimmt nicht oder gilt nicht mehr.',
  confirm: 'Als {name} anmelden?',
  confirmText:
    'Sie haben einen Anmeldelink geöffnet. Wenn Sie keinen angefordert haben, schließen Sie diese Seite.',
  mail: {
    subject: 'Anmelden bei {name}',
    text: 'Öffnen Sie diesen Link, um sich bei {name} anzumelden:',
    linkSubject: 'Diese Adresse mit Ihrem Konto bei {name} verbinden',
    linkText:
      'Öffnen Sie diesen Link nur, wenn Sie selbst diese Adresse mit Ihrem Konto bei {name} verbinden:',
    code: 'Oder geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben:',
    note: 'Er gilt einmal und {name} Minuten lang. Wenn Sie nichts angefordert haben, ist nichts geschehen: Löschen Sie diese Nachricht.',
  },
  error: 'Etwas ist schiefgegangen',
  back: 'Zurück zu {name}',
  errors: {
    Configuration:
      'Dieser Dienst ist nicht richtig eingerichtet. Bitte sagen Sie den Betreibern Bescheid.',
    AccessDenied: 'Sie dürfen sich hier nicht anmelden.',
    Verification: 'Dieser Anmeldelink gilt nicht mehr: Er wurde schon benutzt oder ist abgelaufen.',
    Default: 'Diese Anfrage konnte nicht bearbeitet werden.',
    OAuthSignin:
      'Der Anmeldedienst ist nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.',
    OAuthCallback: nochmal,
    OAuthCreateAccount:
      'Ihr Konto konnte nicht angelegt werden. Bitte versuchen Sie es noch einmal.',
    OAuthAccountNotLinked: 'Bitte melden Sie sich so an wie beim ersten Mal.',
    EmailSignin: 'Die E-Mail konnte nicht verschickt werden. Bitte prüfen Sie die Adresse.',
    EmailCreateAccount:
      'Ihr Konto konnte nicht angelegt werden. Bitte versuchen Sie es noch einmal.',
    CredentialsSignin: 'Diese Angaben stimmen nicht. Bitte prüfen Sie sie.',
    Callback: nochmal,
    SessionRequired: 'Bitte melden Sie sich an, um diese Seite zu sehen.',
    Csrf: 'Diese Seite war abgelaufen. Es ist noch nichts geschehen: Bitte versuchen Sie es noch einmal.',
    Cancelled: 'Sie haben die Anmeldung abgebrochen. Sie können es jederzeit neu versuchen.',
    RateLimited: 'Zu viele Versuche. Bitte warten Sie ein wenig.',
    Unavailable:
      'Dieser Dienst ist gerade nicht verfügbar. Bitte versuchen Sie es gleich noch einmal.',
  },
}

/** Picks the language of a reply by the request's `Accept-Language` (RFC 9110 §12.5.4). */
export type Negotiate = (header: string | null) => Language

/** The shipped languages with the configured ones over them. English is what there is when nothing fits. */
export function createNegotiate(options: MessagesOptions = {}): Negotiate {
  const languages = new Map<string, Language>()
  const shipped: Readonly<Record<string, Messages>> = { en, de }
  for (const name of new Set([...Object.keys(shipped), ...Object.keys(options)])) {
    const tag = name.toLowerCase()
    languages.set(tag, { tag, messages: merge(shipped[tag] ?? en, options[name]) })
  }
  const english = languages.get('en') as Language
  return (header) => {
    for (const range of preferred(header)) {
      const language = languages.get(range) ?? languages.get(range.split('-')[0] as string)
      if (language) return language
    }
    return english
  }
}

/** A text with its `{name}` filled in. */
export function fill(text: string, name: string): string {
  return text.replace('{name}', () => name)
}

function merge(base: Messages, over: MessagesOptions[string] = {}): Messages {
  const errors = { ...base.errors, ...over.errors }
  return { ...base, ...over, errors, mail: { ...base.mail, ...over.mail } }
}

/** The language ranges of the header, most wanted first; those with q=0 left out. */
function preferred(header: string | null): string[] {
  if (!header) return []
  return header
    .slice(0, 256)
    .split(',')
    .map(weighted)
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

function weighted(item: string): { readonly range: string; readonly weight: number } {
  const [range = '', ...parameters] = item.split(';')
  const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean)
  return { range: range.trim().toLowerCase(), weight: q === undefined ? 1 : Number(q) || 0 }
}

/** The sentence of a code. */
export function errorText(messages: Messages, code: ErrorCode): string {
  return messages.errors[code]
}
