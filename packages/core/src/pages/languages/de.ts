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
  secondFactor: {
    heading: 'Zweiter Schritt',
    text: 'Weisen Sie mit einem zweiten Faktor nach, dass Sie es sind.',
    code: 'Code aus Ihrer Authenticator-App',
    recoveryCode: 'Wiederherstellungscode',
    enrol: 'Authenticator-App einrichten',
    enrolText:
      'Scannen Sie das Bild mit Ihrer Authenticator-App, oder geben Sie dort den Schlüssel ein. Geben Sie dann hier den Code ein, den die App anzeigt.',
    required: 'Hier ist ein zweiter Faktor erforderlich.',
    picture: 'QR-Code für Ihre Authenticator-App',
    openApp: 'In einer App auf diesem Gerät öffnen',
    key: 'Schlüssel',
    codes: 'Ihre Wiederherstellungscodes',
    codesText:
      'Bewahren Sie diese Codes an einem sicheren Ort auf. Jeder Code ersetzt einmal Ihren zweiten Faktor. Die Codes werden nicht noch einmal angezeigt.',
    remember: 'In diesem Browser {name} lang nicht danach fragen',
    tooMany: 'Sie haben schon 20 davon. Entfernen Sie zuerst einen.',
    changed: 'Das wurde inzwischen an anderer Stelle geändert. Versuchen Sie es noch einmal.',
  },
  account: {
    heading: 'Ihr Konto',
    saved: 'Ihre Änderungen sind gespeichert.',
    profile: 'Ihre Angaben',
    name: 'Name',
    save: 'Speichern',
    notVerified: 'nicht bestätigt',
    changeEmail: 'E-Mail-Adresse ändern',
    changeEmailText:
      'Wir senden einen Link an die neue E-Mail-Adresse. Öffnen Sie ihn in diesem Browser.',
    ways: 'Anmeldemethoden',
    addWay: 'Anmeldemethode hinzufügen',
    remove: 'Entfernen',
    factors: 'Zweiter Schritt',
    noFactors:
      'Fügen Sie einen zweiten Schritt hinzu, damit Ihr E-Mail-Postfach allein nicht zum Anmelden genügt.',
    totp: 'Authenticator-App',
    recovery: 'Wiederherstellungscodes',
    newCodes: 'Neue Wiederherstellungscodes erstellen',
    rename: 'Ändern',
    added: 'Hinzugefügt am {name}',
    lastUsed: 'zuletzt verwendet am {name}',
    sessions: 'Wo Sie angemeldet sind',
    thisBrowser: 'Dieser Browser',
    unknownBrowser: 'Unbekannter Browser',
    since: 'Angemeldet am {name}',
    endSession: 'Dort abmelden',
    endOtherSessions: 'Überall sonst abmelden',
    deleteAccount: 'Konto löschen',
    deleteText:
      'Ihr Konto und alles, was dazugehört, werden gelöscht. Das lässt sich nicht rückgängig machen.',
    deleteSure: 'Ich möchte mein Konto löschen',
    deleted: 'Ihr Konto ist gelöscht',
    deletedText: 'Sie sind überall abgemeldet.',
    isEmail: 'Das ist Ihre E-Mail-Adresse. Ändern Sie sie, um sie zu entfernen.',
    lastWay: 'Das ist Ihre einzige Anmeldemethode. Fügen Sie zuerst eine andere hinzu.',
    lastFactor: 'Hier ist ein zweiter Schritt erforderlich. Fügen Sie zuerst einen anderen hinzu.',
    invalidName: 'Geben Sie einen Namen mit höchstens {name} Zeichen ein.',
    gone: 'Das gibt es nicht mehr. Vielleicht wurde es in einem anderen Fenster geändert.',
    emailTaken:
      'Ein anderes Konto hat diese E-Mail-Adresse. Ihre E-Mail-Adresse wurde nicht geändert.',
  },
  securityEmails: {
    changes: {
      newBrowser: 'Ein neuer Browser hat sich bei Ihrem Konto bei {name} angemeldet',
      factorAdded: 'Ein zweiter Faktor wurde Ihrem Konto bei {name} hinzugefügt',
      factorRemoved: 'Ein zweiter Faktor wurde von Ihrem Konto bei {name} entfernt',
      recoveryCodeUsed: 'Ein Wiederherstellungscode Ihres Kontos bei {name} wurde verwendet',
      recoveryCodesReplaced:
        'Für Ihr Konto bei {name} wurden neue Wiederherstellungscodes erstellt',
      secondFactorFailed: 'Für Ihr Konto bei {name} wurden viele falsche Codes eingegeben',
      passwordChanged: 'Das Passwort Ihres Kontos bei {name} wurde geändert',
      emailChanged: 'Die E-Mail-Adresse Ihres Kontos bei {name} wurde geändert',
      accountLinked: 'Ihrem Konto bei {name} wurde eine Anmeldeart hinzugefügt',
      accountUnlinked: 'Von Ihrem Konto bei {name} wurde eine Anmeldeart entfernt',
    },
    time: 'Zeit: {name}',
    browser: 'Verwendeter Browser: {name}',
    detail: 'Bezeichnung: {name}',
    further: 'Seit unserer letzten E-Mail gab es weitere Änderungen.',
    wasYou: 'Wenn Sie das waren, ignorieren Sie diese E-Mail.',
    wasNotYou: 'Wenn Sie das nicht waren, öffnen Sie diesen Link, um alle Sitzungen zu beenden:',
    note: 'Der Link gilt einmal und läuft in {name} ab.',
    endSessions: 'Alle Sitzungen beenden',
    endSessionsText:
      'Ihr Konto wird in jedem Browser abgemeldet. Melden Sie sich danach wieder an.',
    sessionsEnded: 'Alle Sitzungen sind beendet',
    sessionsEndedText:
      'Ihr Konto ist in jedem Browser abgemeldet. Melden Sie sich wieder an und prüfen Sie, was geändert wurde.',
  },
  passwords: {
    password: 'Passwort',
    forgot: 'Passwort vergessen?',
    forgotText:
      'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen.',
    register: 'Konto anlegen',
    registerText:
      'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein Passwort wählen.',
    send: 'Link senden',
    choose: 'Passwort wählen',
    chooseText:
      'Verwenden Sie mindestens {name} Zeichen. Gut sind mehrere Wörter, die nicht zusammengehören.',
    newPassword: 'Neues Passwort',
    save: 'Passwort speichern',
    change: 'Passwort ändern',
    changeText: 'Sie werden danach überall sonst abgemeldet.',
    add: 'Passwort hinzufügen',
    tooShort: 'Wählen Sie ein Passwort mit mindestens {name} Zeichen.',
    tooLong: 'Wählen Sie ein Passwort mit höchstens {name} Zeichen.',
    unusable:
      'Dieses Passwort enthält Zeichen, die nicht verwendet werden können. Wählen Sie ein anderes.',
    breached: 'Dieses Passwort ist aus einem Datenleck bekannt. Wählen Sie ein anderes.',
    otherUser: 'Sie sind als {name} angemeldet. Diese Seite ist für ein anderes Konto.',
    needsEmail:
      'Für ein Passwort ist eine bestätigte E-Mail-Adresse nötig. Bestätigen Sie zuerst Ihre.',
    otherBrowser:
      'Öffnen Sie diesen Link in dem Browser, in dem Sie Ihr Passwort eingegeben haben. Wenn Sie das nicht waren, schließen Sie diese Seite: Es ist nichts geschehen.',
    waysText:
      'Ihr neues Passwort ist gespeichert. Auch das Folgende gehört zu Ihrem Konto. Entfernen Sie, was Sie nicht kennen.',
    mails: {
      create: {
        subject: 'Konto bei {name} anlegen',
        text: 'Öffnen Sie diesen Link, um ein Passwort für Ihr neues Konto bei {name} zu wählen:',
        button: 'Passwort wählen',
      },
      reset: {
        subject: 'Neues Passwort für {name} wählen',
        text: 'Öffnen Sie diesen Link, um ein neues Passwort für Ihr Konto bei {name} zu wählen:',
        button: 'Neues Passwort wählen',
      },
      elsewhere: {
        subject: 'Ihr Konto bei {name}',
        text: 'Sie haben ein Konto bei {name}, ohne Passwort. Melden Sie sich zuerst an, dann können Sie eines hinzufügen:',
        button: 'Anmelden',
      },
      prove: {
        subject: 'E-Mail-Adresse für {name} bestätigen',
        text: 'Öffnen Sie diesen Link in dem Browser, in dem Sie gerade Ihr Passwort für {name} eingegeben haben:',
        button: 'E-Mail-Adresse bestätigen',
      },
      ways: 'Sie können sich auch so anmelden: {name}.',
      ignore: 'Wenn Sie diese E-Mail nicht angefordert haben, ignorieren Sie sie.',
    },
  },
  passkeys: {
    name: 'Passkey',
    signIn: 'Mit Passkey anmelden',
    confirm: 'Mit Passkey bestätigen',
    second: 'Passkey verwenden',
    add: 'Passkey hinzufügen',
    create: 'Passkey erstellen',
    createText:
      'Mit einem Passkey melden Sie sich so an, wie Sie Ihr Gerät entsperren: ohne Code und ohne Passwort.',
    notNow: 'Nicht jetzt',
    synchronised: 'synchronisiert',
    notSynchronised: 'nur auf einem Gerät',
    refused:
      'Dieser Passkey hat nicht funktioniert. Versuchen Sie es noch einmal, oder verwenden Sie eine andere Anmeldemethode.',
    unknown: 'Dieser Passkey ist hier nicht bekannt. Verwenden Sie eine andere Anmeldemethode.',
    failed:
      'Ihr Browser konnte keinen Passkey verwenden. Versuchen Sie es noch einmal, oder verwenden Sie eine andere Methode.',
    registered: 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',
    tooMany: 'Sie haben schon 20 Passkeys. Entfernen Sie zuerst einen.',
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
