import type { SecondFactorTranslation } from '../texts.ts'

/** Dutch. */
export const nl: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: 'Authenticator-app',
      recovery: 'Herstelcodes',
      heading: 'Tweede stap',
      text: 'Toon met een tweede factor aan dat u het bent.',
      code: 'Code uit uw authenticator-app',
      recoveryCode: 'Herstelcode',
      useApp: 'Authenticator-app gebruiken',
      useRecoveryCode: 'Een herstelcode gebruiken',
      enrol: 'Een authenticator-app instellen',
      enrolText:
        'Scan de afbeelding met uw authenticator-app of typ de sleutel in de app. Typ daarna hier de code die de app toont.',
      required: 'Hier is een tweede factor vereist.',
      choose: 'Kies een tweede factor. Daarna wordt ernaar gevraagd als u inlogt.',
      picture: 'QR-code voor uw authenticator-app',
      openApp: 'Openen in een app op dit apparaat',
      key: 'Sleutel',
      codes: 'Uw herstelcodes',
      codesText:
        'Bewaar deze codes op een veilige plek. Elke code vervangt uw tweede factor één keer. Ze worden niet opnieuw getoond.',
      download: 'Downloaden als tekst',
      saved: 'Ik heb deze codes bewaard',
      remember: 'Gedurende {name} niet vragen in deze browser',
      tooMany: 'U hebt er al 20. Verwijder er eerst een.',
      changed: 'Dit is ergens anders gewijzigd. Probeer het opnieuw.',
      accountText:
        'Met een tweede stap is alleen uw e-mail of wachtwoord niet genoeg om in te loggen.',
      newCodes: 'Nieuwe herstelcodes maken',
      removeText: 'Als u het verwijdert, wordt er bij het inloggen niet meer om gevraagd.',
    },
  },
}
