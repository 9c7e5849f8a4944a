import type { SecondFactorTranslation } from '../texts.ts'

/** German. */
export const de: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: 'Authenticator-App',
      recovery: 'Wiederherstellungscodes',
      heading: 'Zweiter Schritt',
      text: 'Weisen Sie mit einem zweiten Faktor nach, dass Sie es sind.',
      code: 'Code aus Ihrer Authenticator-App',
      recoveryCode: 'Wiederherstellungscode',
      useApp: 'Authenticator-App verwenden',
      useRecoveryCode: 'Wiederherstellungscode verwenden',
      enrol: 'Authenticator-App einrichten',
      enrolText:
        'Scannen Sie das Bild mit Ihrer Authenticator-App, oder geben Sie dort den Schlüssel ein. Geben Sie dann hier den Code ein, den die App anzeigt.',
      required: 'Hier ist ein zweiter Faktor erforderlich.',
      choose: 'Wählen Sie einen zweiten Faktor. Danach werden Sie beim Anmelden gefragt.',
      picture: 'QR-Code für Ihre Authenticator-App',
      openApp: 'In einer App auf diesem Gerät öffnen',
      key: 'Schlüssel',
      codes: 'Ihre Wiederherstellungscodes',
      codesText:
        'Bewahren Sie diese Codes an einem sicheren Ort auf. Jeder Code ersetzt einmal Ihren zweiten Faktor. Die Codes werden nicht noch einmal angezeigt.',
      download: 'Als Text herunterladen',
      saved: 'Ich habe diese Codes gespeichert',
      remember: 'In diesem Browser {name} lang nicht danach fragen',
      tooMany: 'Sie haben schon 20 davon. Entfernen Sie zuerst einen.',
      changed: 'Das wurde inzwischen an anderer Stelle geändert. Versuchen Sie es noch einmal.',
      accountText:
        'Mit einem zweiten Schritt genügt Ihre E-Mail oder Ihr Passwort allein nicht zur Anmeldung.',
      newCodes: 'Neue Wiederherstellungscodes erstellen',
      removeText: 'Wenn Sie das entfernen, werden Sie bei der Anmeldung nicht mehr danach gefragt.',
    },
  },
}
