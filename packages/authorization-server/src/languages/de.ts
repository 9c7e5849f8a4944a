import type { AuthorizationServerTranslation } from '../texts.ts'

/** German. */
export const de: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} bittet um Zugriff auf Ihr Konto',
      continuesAt: 'Danach geht es bei {name} weiter.',
      onThisDevice:
        'Diese Anwendung läuft auf Ihrem eigenen Gerät. Fahren Sie nur fort, wenn Sie sie gerade selbst gestartet haben.',
      scopes: 'Sie kann dann:',
      allow: 'Erlauben',
      deny: 'Jetzt nicht',
      scopeProfile: 'Ihren Namen und Ihr Bild sehen',
      scopeEmail: 'Ihre E-Mail-Adresse sehen',
      scopeOffline: 'Den Zugriff behalten, während Sie nicht da sind',
      invalid: 'Diese Anfrage ist ungültig',
      unknownClient: 'Die Anwendung ist hier nicht bekannt. Fragen Sie ihren Anbieter.',
      wrongRedirect:
        'Die Anwendung nennt eine URL für die Rückkehr, die nicht für sie eingetragen ist.',
      ended: 'Diese Anfrage ist beendet. Beginnen Sie in der Anwendung von vorn.',
      leaving: 'Sie können fortfahren',
      continueAt: 'Weiter bei {name}',
      applications: 'Anwendungen',
      applicationsText:
        'Diese Anwendungen handeln in Ihrem Namen. Entfernen Sie, was Sie nicht kennen.',
      removeApplication: 'Zugriff beenden',
      deviceHeading: 'Gerät verbinden',
      deviceText: 'Geben Sie den Code ein, den das Gerät anzeigt.',
      deviceCode: 'Code auf dem Gerät',
      deviceWrong: 'Dieser Code ist falsch oder abgelaufen. Sehen Sie noch einmal auf das Gerät.',
      deviceWarning:
        'Fahren Sie nur fort, wenn Sie dies auf einem Gerät begonnen haben, das vor Ihnen steht.',
      deviceAge: 'Zeit seit der Anfrage: {name}',
      deviceAddress: 'IP-Adresse: {name}',
      deviceBrowser: 'Browser oder Programm: {name}',
      deviceUnknown: 'unbekannt',
      deviceAllowed: 'Das Gerät ist verbunden',
      deviceDenied: 'Das Gerät erhält keinen Zugriff',
      deviceClose: 'Sie können diese Seite schließen.',
    },
  },
}
