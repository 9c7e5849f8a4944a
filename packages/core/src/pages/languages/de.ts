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
  continueWith: 'Weiter mit {name}',
  continueWithEmail: 'Weiter mit E-Mail',
  emailLink: 'Anmeldelink per E-Mail senden',
  lastUsed: 'Zuletzt verwendet',
  or: 'oder',
  signInTo: 'weiter zu {name}',
  signedInAs: 'Sie sind als {name} angemeldet.',
  continue: 'Weiter',
  useAnotherAccount: 'Anderes Konto verwenden',
  signOut: 'Abmelden',
  signOutQuestion: 'Möchten Sie sich abmelden?',
  notSignedIn: 'Sie sind nicht angemeldet.',
  cancel: 'Abbrechen',
  signedOutHere:
    'Sie sind in diesem Browser abgemeldet. Eine Kopie der Sitzung kann noch gültig bleiben (höchstens {name}).',
  checkEmail: 'Sehen Sie in Ihr Postfach',
  checkEmailText: 'Wir haben Ihnen eine E-Mail geschickt. Öffnen Sie den Link darin.',
  sentTo: 'Wir haben eine E-Mail an {name} geschickt. Öffnen Sie den Link darin.',
  noEmail: 'Keine E-Mail? Sehen Sie im Spam-Ordner nach, oder fordern Sie eine neue an.',
  sendAgain: 'Noch einmal senden',
  sentAgain: 'Wir haben noch eine E-Mail geschickt.',
  useAnotherEmail: 'Andere E-Mail-Adresse verwenden',
  notAnEmail: 'Das ist keine E-Mail-Adresse. Prüfen Sie sie und versuchen Sie es noch einmal.',
  email: 'E-Mail-Adresse',
  code: 'Oder geben Sie den achtstelligen Code aus der E-Mail ein',
  wrongCode:
    'Dieser Code ist falsch oder abgelaufen. Prüfen Sie ihn und versuchen Sie es noch einmal.',
  emailNotSent:
    'Wir konnten die E-Mail nicht senden. Versuchen Sie es in einer Minute noch einmal.',
  confirm: 'Als {name} anmelden?',
  confirmText:
    'Sie haben einen Anmeldelink geöffnet. Wenn Sie keinen angefordert haben, schließen Sie diese Seite.',
  error: 'Etwas ist schiefgegangen',
  accessDenied: 'Sie haben keinen Zugang',
  linkExpired: 'Dieser Link gilt nicht mehr',
  notFound: 'Seite nicht gefunden',
  notFoundText: 'Diese Seite gibt es nicht. Prüfen Sie die URL, oder gehen Sie zurück.',
  back: 'Zurück zu {name}',
  retryIn: 'Zu viele Versuche. Versuchen Sie es in {name} noch einmal.',
  terms: 'Nutzungsbedingungen',
  privacy: 'Datenschutz',
  confirmation: {
    heading: 'Bestätigen Sie, dass Sie es sind',
    text: 'Melden Sie sich noch einmal an, um fortzufahren.',
    none: 'Hier können Sie das nicht bestätigen. Melden Sie sich ab und dann wieder an.',
  },
  ways: {
    name: 'Name',
    ways: 'Anmeldemethoden',
    remove: 'Entfernen',
    added: 'Hinzugefügt am {name}',
    lastUsed: 'zuletzt verwendet am {name}',
    isEmail: 'Das ist Ihre E-Mail-Adresse. Ändern Sie sie, um sie zu entfernen.',
    lastWay: 'Das ist Ihre einzige Anmeldemethode. Fügen Sie zuerst eine andere hinzu.',
    lastFactor: 'Hier ist ein zweiter Schritt erforderlich. Fügen Sie zuerst einen anderen hinzu.',
    invalidName: 'Geben Sie einen Namen mit höchstens {name} Zeichen ein.',
    gone: 'Das gibt es nicht mehr. Vielleicht wurde es in einem anderen Fenster geändert.',
  },
  mail: {
    subject: 'Anmelden bei {name}',
    text: 'Öffnen Sie diesen Link, um sich bei {name} anzumelden:',
    linkSubject: 'Diese E-Mail-Adresse mit Ihrem Konto bei {name} verbinden',
    linkText:
      'Öffnen Sie diesen Link nur, wenn Sie diese E-Mail-Adresse mit Ihrem Konto bei {name} verbinden:',
    confirmSubject: 'Bestätigen Sie bei {name}, dass Sie es sind',
    confirmText: 'Öffnen Sie diesen Link, um bei {name} zu bestätigen, dass Sie es sind:',
    code: 'Oder geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben:',
    note: 'Der Link gilt einmal und läuft in {name} ab. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail.',
  },
  errors: {
    Configuration:
      'Dieser Dienst ist nicht richtig eingerichtet. Wenden Sie sich an den Betreiber.',
    AccessDenied: 'Dieses Konto hat keinen Zugang. Melden Sie sich mit einem anderen Konto an.',
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
    ConfirmationRequired:
      'Bestätigen Sie, dass Sie es sind, und versuchen Sie es dann noch einmal.',
    SecondFactorRequired: 'Weisen Sie mit einem zweiten Faktor nach, dass Sie es sind.',
    Csrf: 'Diese Seite ist abgelaufen. Es wurde nichts geändert. Versuchen Sie es noch einmal.',
    Cancelled:
      'Sie haben die Anmeldung abgebrochen. Sie können es jederzeit noch einmal versuchen.',
    RateLimited: 'Zu viele Versuche. Warten Sie eine Weile und versuchen Sie es noch einmal.',
    Unavailable:
      'Dieser Dienst ist gerade nicht verfügbar. Versuchen Sie es in einer Minute noch einmal.',
  },
}
