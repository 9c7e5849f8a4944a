import type { PasswordTranslation } from '../texts.ts'

/** Dutch. */
export const nl: PasswordTranslation = {
  capabilities: {
    passwords: {
      password: 'Wachtwoord',
      forgot: 'Wachtwoord vergeten?',
      forgotText: 'Vul uw e-mailadres in. We sturen u een link om een nieuw wachtwoord te kiezen.',
      newHere: 'Nieuw hier?',
      register: 'Een account maken',
      registerText: 'Vul uw e-mailadres in. We sturen u een link om een wachtwoord te kiezen.',
      send: 'De link sturen',
      choose: 'Kies een wachtwoord',
      chooseText:
        'Gebruik minstens {name} tekens. Goed zijn meerdere woorden die niet bij elkaar horen.',
      newPassword: 'Nieuw wachtwoord',
      save: 'Wachtwoord opslaan',
      change: 'Wachtwoord wijzigen',
      changeText: 'U wordt daarna overal elders uitgelogd.',
      add: 'Een wachtwoord toevoegen',
      tooShort: 'Kies een wachtwoord van minstens {name} tekens.',
      tooLong: 'Kies een wachtwoord van hoogstens {name} tekens.',
      unusable:
        'Dit wachtwoord bevat tekens die niet gebruikt kunnen worden. Kies een ander wachtwoord.',
      breached: 'Dit wachtwoord is bekend uit een datalek. Kies een ander wachtwoord.',
      otherUser: 'U bent ingelogd als {name}. Deze pagina is voor een ander account.',
      needsEmail:
        'Voor een wachtwoord is een geverifieerd e-mailadres nodig. Verifieer eerst uw e-mailadres.',
      otherBrowser:
        'Open deze link in de browser waarin u uw wachtwoord hebt getypt. Was u dat niet, sluit dan deze pagina: er is niets gebeurd.',
      waysText:
        'Uw nieuwe wachtwoord is opgeslagen. Ook het volgende hoort bij uw account. Verwijder wat u niet herkent.',
      mails: {
        create: {
          subject: 'Maak uw account bij {name}',
          text: 'Open deze link om een wachtwoord te kiezen voor uw nieuwe account bij {name}:',
          button: 'Een wachtwoord kiezen',
        },
        reset: {
          subject: 'Kies een nieuw wachtwoord voor {name}',
          text: 'Open deze link om een nieuw wachtwoord te kiezen voor uw account bij {name}:',
          button: 'Een nieuw wachtwoord kiezen',
        },
        elsewhere: {
          subject: 'Uw account bij {name}',
          text: 'U hebt een account bij {name} zonder wachtwoord. Log eerst in; daarna kunt u er een toevoegen:',
          button: 'Inloggen',
        },
        prove: {
          subject: 'Verifieer uw e-mailadres voor {name}',
          text: 'Open deze link in de browser waarin u zojuist uw wachtwoord voor {name} hebt getypt:',
          button: 'E-mailadres verifiëren',
        },
        ways: 'U kunt ook inloggen met {name}.',
        ignore: 'Als u deze e-mail niet hebt aangevraagd, negeer die dan.',
      },
    },
  },
}
