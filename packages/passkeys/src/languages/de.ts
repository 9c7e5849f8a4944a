import type { PasskeyTranslation } from '../texts.ts'

/** German. */
export const de: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: 'Passkey',
      signIn: 'Mit Passkey anmelden',
      confirm: 'Mit Passkey bestätigen',
      second: 'Passkey verwenden',
      add: 'Passkey hinzufügen',
      create: 'Passkey erstellen',
      createText:
        'Mit einem Passkey melden Sie sich so an, wie Sie Ihr Gerät entsperren: ohne Code und ohne Passwort.',
      waiting: 'Weiter im Fenster Ihres Browsers …',
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
  },
}
