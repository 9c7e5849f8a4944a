import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'We konden u niet inloggen. Probeer het opnieuw.'
const noAccount = 'We konden uw account niet aanmaken. Probeer het opnieuw.'

/**
 * Dutch.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { nl } from '@latchkey/core/languages/nl'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { nl } })
 */
export const nl: Messages = {
  direction: 'ltr',
  signIn: 'Inloggen',
  continueWith: 'Doorgaan met {name}',
  continueWithEmail: 'Doorgaan met e-mail',
  emailLink: 'Stuur mij een inloglink per e-mail',
  lastUsed: 'Laatst gebruikt',
  or: 'of',
  signInTo: 'om door te gaan naar {name}',
  signedInAs: 'U bent ingelogd als {name}.',
  continue: 'Doorgaan',
  useAnotherAccount: 'Een ander account gebruiken',
  signOut: 'Uitloggen',
  signOutQuestion: 'Wilt u uitloggen?',
  notSignedIn: 'U bent niet ingelogd.',
  cancel: 'Annuleren',
  signedOutHere:
    'U bent in deze browser uitgelogd. Een kopie van de sessie kan nog geldig blijven (hoogstens {name}).',
  checkEmail: 'Bekijk uw e-mail',
  checkEmailText: 'We hebben u een e-mail gestuurd. Open de link daarin om door te gaan.',
  sentTo: 'We hebben een e-mail gestuurd naar {name}. Open de link daarin om door te gaan.',
  noEmail: 'Geen e-mail? Kijk in uw spammap of vraag een nieuwe aan.',
  sendAgain: 'Opnieuw sturen',
  sentAgain: 'We hebben nog een e-mail gestuurd.',
  useAnotherEmail: 'Een ander e-mailadres gebruiken',
  notAnEmail: 'Dit is geen e-mailadres. Controleer het en probeer het opnieuw.',
  email: 'E-mailadres',
  code: 'Of typ de code van acht cijfers uit de e-mail',
  wrongCode: 'Deze code is onjuist of verlopen. Controleer de code en probeer het opnieuw.',
  emailNotSent: 'We konden de e-mail niet sturen. Probeer het over een minuut opnieuw.',
  confirm: 'Inloggen als {name}?',
  confirmText:
    'U hebt een inloglink geopend. Als u die niet hebt aangevraagd, sluit dan deze pagina.',
  error: 'Er ging iets mis',
  accessDenied: 'U hebt geen toegang',
  linkExpired: 'Deze link werkt niet meer',
  notFound: 'Pagina niet gevonden',
  notFoundText: 'Deze pagina bestaat niet. Controleer de URL of ga terug.',
  back: 'Terug naar {name}',
  retryIn: 'Te veel pogingen. Probeer het opnieuw over {name}.',
  terms: 'Voorwaarden',
  privacy: 'Privacy',
  confirmation: {
    heading: 'Bevestig dat u het bent',
    text: 'Log nog een keer in om door te gaan.',
    none: 'U kunt dit hier niet bevestigen. Log uit en log daarna weer in.',
  },
  ways: {
    name: 'Naam',
    ways: 'Inlogmethoden',
    remove: 'Verwijderen',
    added: 'Toegevoegd op {name}',
    lastUsed: 'laatst gebruikt op {name}',
    isEmail: 'Dit is uw e-mailadres. Wijzig het om het te verwijderen.',
    lastWay: 'Dit is uw enige inlogmethode. Voeg eerst een andere toe.',
    lastFactor: 'Hier is een tweede stap vereist. Voeg eerst een andere toe.',
    invalidName: 'Typ een naam van hoogstens {name} tekens.',
    gone: 'Dit bestaat niet meer. Misschien is het in een ander venster gewijzigd.',
  },
  mail: {
    subject: 'Inloggen bij {name}',
    text: 'Open deze link om in te loggen bij {name}:',
    linkSubject: 'Dit e-mailadres toevoegen aan uw account bij {name}',
    linkText: 'Open deze link alleen als u dit e-mailadres toevoegt aan uw account bij {name}:',
    confirmSubject: 'Bevestig bij {name} dat u het bent',
    confirmText: 'Open deze link om bij {name} te bevestigen dat u het bent:',
    code: 'Of typ deze code op de pagina waar u die hebt aangevraagd:',
    note: 'De link werkt één keer en verloopt over {name}. Als u die niet hebt aangevraagd, negeer dan deze e-mail.',
  },
  errors: {
    Configuration: 'Deze dienst is niet goed ingesteld. Neem contact op met de beheerder.',
    AccessDenied: 'Dit account heeft geen toegang. Log in met een ander account.',
    Verification: 'Deze link of code is verlopen of al gebruikt. Vraag een nieuwe aan.',
    Default: 'We konden dit verzoek niet verwerken. Ga terug en probeer het opnieuw.',
    OAuthSignin: 'We konden de inlogdienst niet bereiken. Probeer het over een minuut opnieuw.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'Log in zoals u de eerste keer deed.',
    EmailSignin:
      'We konden de e-mail niet sturen. Controleer het e-mailadres en probeer het opnieuw.',
    EmailCreateAccount: noAccount,
    CredentialsSignin: 'Deze gegevens komen niet overeen. Controleer ze en probeer het opnieuw.',
    Callback: tryAgain,
    SessionRequired: 'Log in om deze pagina te zien.',
    ConfirmationRequired: 'Bevestig dat u het bent en probeer het dan opnieuw.',
    SecondFactorRequired: 'Toon met een tweede factor aan dat u het bent.',
    Csrf: 'Deze pagina is verlopen. Er is niets gewijzigd. Probeer het opnieuw.',
    Cancelled: 'U hebt het inloggen geannuleerd. U kunt het altijd opnieuw proberen.',
    RateLimited: 'Te veel pogingen. Wacht even en probeer het opnieuw.',
    Unavailable: 'Deze dienst is nu niet beschikbaar. Probeer het over een minuut opnieuw.',
  },
}
