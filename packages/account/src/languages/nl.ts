import type { AccountTranslation } from '../texts.ts'

/** Dutch. */
export const nl: AccountTranslation = {
  capabilities: {
    account: {
      heading: 'Uw account',
      saved: 'Uw wijzigingen zijn opgeslagen.',
      profile: 'Uw gegevens',
      save: 'Opslaan',
      notVerified: 'niet bevestigd',
      changeEmail: 'E-mailadres wijzigen',
      changeEmailText: 'We sturen een link naar het nieuwe e-mailadres. Open die in deze browser.',
      addWay: 'Een inlogmethode toevoegen',
      rename: 'Wijzigen',
      sessions: 'Waar u bent ingelogd',
      thisBrowser: 'Deze browser',
      unknownBrowser: 'Onbekende browser',
      since: 'Ingelogd op {name}',
      endSession: 'Daar uitloggen',
      endOtherSessions: 'Op alle andere plekken uitloggen',
      deleteAccount: 'Account verwijderen',
      deleteText:
        'Uw account en alles wat erbij hoort, worden verwijderd. Dit kan niet ongedaan worden gemaakt.',
      deleted: 'Uw account is verwijderd',
      deletedText: 'U bent overal uitgelogd.',
      emailTaken: 'Een ander account heeft dit e-mailadres. Uw e-mailadres is niet gewijzigd.',
      profileText: 'Uw naam en het e-mailadres waarnaar we schrijven.',
      waysText: 'Met elk ervan kunt u inloggen. Houd er twee, voor het geval u er een verliest.',
      sessionsText: 'Beëindig wat u niet herkent.',
      removeHeading: '‘{name}’ verwijderen?',
      removeText:
        'Als u het verwijdert, kunt u er niet meer mee inloggen. U kunt het later weer toevoegen.',
    },
    securityEmails: {
      changes: {
        newBrowser: 'Een nieuwe browser is ingelogd op uw account bij {name}',
        factorAdded: 'Er is een tweede factor toegevoegd aan uw account bij {name}',
        factorRemoved: 'Er is een tweede factor verwijderd uit uw account bij {name}',
        recoveryCodeUsed: 'Er is een herstelcode van uw account bij {name} gebruikt',
        recoveryCodesReplaced: 'Er zijn nieuwe herstelcodes gemaakt voor uw account bij {name}',
        secondFactorFailed: 'Er zijn veel onjuiste codes ingevoerd voor uw account bij {name}',
        passwordChanged: 'Het wachtwoord van uw account bij {name} is gewijzigd',
        emailChanged: 'Het e-mailadres van uw account bij {name} is gewijzigd',
        accountLinked: 'Er is een manier van inloggen toegevoegd aan uw account bij {name}',
        accountUnlinked: 'Er is een manier van inloggen verwijderd uit uw account bij {name}',
        applicationAllowed: 'Een toepassing mag uw account bij {name} gebruiken',
        applicationReused: 'De toegang van een toepassing tot uw account bij {name} is beëindigd',
      },
      time: 'Tijd: {name}',
      browser: 'Gebruikte browser: {name}',
      detail: 'Naam: {name}',
      further: 'Er waren nog meer wijzigingen sinds onze vorige e-mail.',
      wasYou: 'Als u dit was, negeer dan deze e-mail.',
      wasNotYou: 'Als u dit niet was, open dan deze link om alle sessies te beëindigen:',
      note: 'De link werkt één keer en verloopt over {name}.',
      endSessions: 'Alle sessies beëindigen',
      endSessionsText: 'Uw account wordt in elke browser uitgelogd. Log daarna opnieuw in.',
      sessionsEnded: 'Alle sessies zijn beëindigd',
      sessionsEndedText:
        'Uw account is in elke browser uitgelogd. Log opnieuw in en controleer wat er is gewijzigd.',
    },
  },
}
