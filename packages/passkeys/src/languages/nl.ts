import type { PasskeyTranslation } from '../texts.ts'

/** Dutch. */
export const nl: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: 'Toegangssleutel',
      signIn: 'Inloggen met een toegangssleutel',
      confirm: 'Bevestigen met een toegangssleutel',
      second: 'Een toegangssleutel gebruiken',
      add: 'Een toegangssleutel toevoegen',
      create: 'Een toegangssleutel maken',
      createText:
        'Met een toegangssleutel logt u in zoals u uw apparaat ontgrendelt, zonder code of wachtwoord.',
      waiting: 'Ga verder in het venster van uw browser…',
      notNow: 'Niet nu',
      synchronised: 'gesynchroniseerd',
      notSynchronised: 'alleen op één apparaat',
      refused:
        'Deze toegangssleutel werkte niet. Probeer het opnieuw of gebruik een andere inlogmethode.',
      unknown: 'Deze toegangssleutel is hier niet bekend. Gebruik een andere inlogmethode.',
      failed:
        'Uw browser kon geen toegangssleutel gebruiken. Probeer het opnieuw of gebruik een andere methode.',
      registered: 'Dit apparaat heeft al een toegangssleutel voor uw account.',
      tooMany: 'U hebt al 20 toegangssleutels. Verwijder er eerst een.',
    },
  },
}
