import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'Wir konnten Sie nicht anmelden. Versuchen Sie es noch einmal.'
const noAccount = 'Wir konnten Ihr Konto nicht anlegen. Versuchen Sie es noch einmal.'

/**
 * German.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { de } from '@latchkey/core/languages/de'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { de } })
 */
export const de: Messages = {
  direction: 'ltr',
  signIn: 'Anmelden',
  signInWith: 'Mit {name} anmelden',
  signInTo: 'weiter zu {name}',
  signOut: 'Abmelden',
  signOutQuestion: 'Möchten Sie sich abmelden?',
  signedOutHere:
    'Sie sind in diesem Browser abgemeldet. Eine Kopie der Sitzung kann bis zu {name} Tage gültig bleiben.',
  checkEmail: 'Sehen Sie in Ihr Postfach',
  checkEmailText:
    'Wir haben Ihnen einen Link geschickt, der Sie anmeldet. Sie können diese Seite schließen.',
  email: 'E-Mail-Adresse',
  code: 'Oder geben Sie den achtstelligen Code aus der E-Mail ein',
  wrongCode:
    'Dieser Code ist falsch oder abgelaufen. Prüfen Sie ihn und versuchen Sie es noch einmal.',
  emailNotSent:
    'Wir konnten die E-Mail nicht senden. Versuchen Sie es in einer Minute noch einmal.',
  confirm: 'Als {name} anmelden?',
  confirmText:
    'Sie haben einen Anmeldelink geöffnet. Wenn Sie keinen angefordert haben, schließen Sie diese Seite.',
  mail: {
    subject: 'Anmelden bei {name}',
    text: 'Öffnen Sie diesen Link, um sich bei {name} anzumelden:',
    linkSubject: 'Diese E-Mail-Adresse mit Ihrem Konto bei {name} verbinden',
    linkText:
      'Öffnen Sie diesen Link nur, wenn Sie diese E-Mail-Adresse mit Ihrem Konto bei {name} verbinden:',
    code: 'Oder geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben:',
    note: 'Der Link gilt einmal und läuft in {name} Minuten ab. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail.',
  },
  error: 'Etwas ist schiefgegangen',
  back: 'Zurück zu {name}',
  errors: {
    Configuration:
      'Dieser Dienst ist nicht richtig eingerichtet. Wenden Sie sich an den Betreiber.',
    AccessDenied: 'Sie haben keinen Zugang. Melden Sie sich mit einem anderen Konto an.',
    Verification:
      'Dieser Link oder Code ist abgelaufen oder wurde schon benutzt. Fordern Sie einen neuen an.',
    Default:
      'Wir konnten diese Anfrage nicht bearbeiten. Gehen Sie zurück und versuchen Sie es noch einmal.',
    OAuthSignin:
      'Wir konnten den Anmeldedienst nicht erreichen. Versuchen Sie es in einer Minute noch einmal.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'Melden Sie sich so an wie beim ersten Mal.',
    EmailSignin:
      'Wir konnten die E-Mail nicht senden. Prüfen Sie die E-Mail-Adresse und versuchen Sie es noch einmal.',
    EmailCreateAccount: noAccount,
    CredentialsSignin:
      'Diese Angaben stimmen nicht überein. Prüfen Sie sie und versuchen Sie es noch einmal.',
    Callback: tryAgain,
    SessionRequired: 'Melden Sie sich an, um diese Seite zu sehen.',
    Csrf: 'Diese Seite ist abgelaufen. Es wurde nichts geändert. Versuchen Sie es noch einmal.',
    Cancelled:
      'Sie haben die Anmeldung abgebrochen. Sie können es jederzeit noch einmal versuchen.',
    RateLimited: 'Zu viele Versuche. Warten Sie eine Weile und versuchen Sie es noch einmal.',
    Unavailable:
      'Dieser Dienst ist gerade nicht verfügbar. Versuchen Sie es in einer Minute noch einmal.',
  },
}
