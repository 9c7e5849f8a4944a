import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'Nie udało się zalogować. Spróbuj ponownie.'
const noAccount = 'Nie udało się utworzyć konta. Spróbuj ponownie.'

/**
 * Polish.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { pl } from '@latchkey/core/languages/pl'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { pl } })
 */
export const pl: Messages = {
  direction: 'ltr',
  signIn: 'Zaloguj się',
  continueWith: 'Kontynuuj przez {name}',
  continueWithEmail: 'Kontynuuj przez e-mail',
  emailLink: 'Wyślij mi link e-mailem',
  lastUsed: 'Ostatnio używane',
  or: 'lub',
  signInTo: 'aby przejść do {name}',
  signedInAs: 'Zalogowano jako {name}.',
  continue: 'Kontynuuj',
  useAnotherAccount: 'Użyj innego konta',
  signOut: 'Wyloguj się',
  signOutQuestion: 'Czy chcesz się wylogować?',
  notSignedIn: 'Nie zalogowano.',
  cancel: 'Anuluj',
  signedOutHere:
    'Wylogowano w tej przeglądarce. Kopia sesji może pozostać ważna (maksymalny czas: {name}).',
  checkEmail: 'Sprawdź pocztę',
  checkEmailText: 'Wysłaliśmy do Ciebie e-mail. Otwórz zawarty w nim link, aby kontynuować.',
  sentTo: 'Wysłaliśmy e-mail na adres {name}. Otwórz zawarty w nim link, aby kontynuować.',
  noEmail: 'Nie ma wiadomości? Sprawdź folder ze spamem lub poproś o kolejną.',
  sendAgain: 'Wyślij ponownie',
  sentAgain: 'Wysłaliśmy kolejny e-mail.',
  useAnotherEmail: 'Użyj innego adresu e-mail',
  notAnEmail: 'To nie jest adres e-mail. Sprawdź go i spróbuj ponownie.',
  email: 'Adres e-mail',
  code: 'Lub wpisz ośmiocyfrowy kod z e-maila',
  wrongCode: 'Ten kod jest błędny lub wygasł. Sprawdź go i spróbuj ponownie.',
  emailNotSent: 'Nie udało się wysłać e-maila. Spróbuj ponownie za minutę.',
  confirm: 'Zalogować się jako {name}?',
  confirmText: 'Otwarto link do logowania. Jeśli to nie Twoja prośba, zamknij tę stronę.',
  error: 'Coś poszło nie tak',
  accessDenied: 'Brak dostępu',
  linkExpired: 'Ten link już nie działa',
  notFound: 'Nie znaleziono strony',
  notFoundText: 'Ta strona nie istnieje. Sprawdź adres URL lub wróć.',
  back: 'Wróć do {name}',
  retryIn: 'Zbyt wiele prób. Spróbuj ponownie później. Pozostały czas: {name}.',
  terms: 'Regulamin',
  privacy: 'Prywatność',
  confirmation: {
    heading: 'Potwierdź, że to Ty',
    text: 'Zaloguj się jeszcze raz, aby kontynuować.',
    none: 'Nie możesz tego tutaj potwierdzić. Wyloguj się, a potem zaloguj ponownie.',
  },
  ways: {
    name: 'Nazwa',
    ways: 'Sposoby logowania',
    remove: 'Usuń',
    added: 'Dodano {name}',
    lastUsed: 'ostatnio użyto {name}',
    isEmail: 'To jest Twój adres e-mail. Zmień go, aby go usunąć.',
    lastWay: 'To Twój jedyny sposób logowania. Najpierw dodaj inny.',
    lastFactor: 'Tutaj wymagany jest drugi krok. Najpierw dodaj inny.',
    invalidName: 'Wpisz nazwę o długości do {name} znaków.',
    gone: 'Ten element już nie istnieje. Być może został zmieniony w innym oknie.',
  },
  mail: {
    subject: 'Logowanie do {name}',
    text: 'Otwórz ten link, aby zalogować się do {name}:',
    linkSubject: 'Dodaj ten adres e-mail do swojego konta w {name}',
    linkText:
      'Otwórz ten link tylko wtedy, gdy dodajesz ten adres e-mail do swojego konta w {name}:',
    confirmSubject: 'Potwierdź w {name}, że to Ty',
    confirmText: 'Otwórz ten link, aby potwierdzić w {name}, że to Ty:',
    code: 'Lub wpisz ten kod na stronie, na której o niego poproszono:',
    note: 'Link działa tylko raz. Czas ważności: {name}. Jeśli to nie Twoja prośba, zignoruj ten e-mail.',
  },
  errors: {
    Configuration: 'Ta usługa jest nieprawidłowo skonfigurowana. Skontaktuj się z jej operatorem.',
    AccessDenied: 'To konto nie ma dostępu. Zaloguj się na inne konto.',
    Verification: 'Ten link lub kod wygasł albo został już użyty. Poproś o nowy.',
    Default: 'Nie udało się obsłużyć tego żądania. Wróć i spróbuj ponownie.',
    OAuthSignin: 'Nie udało się połączyć z dostawcą logowania. Spróbuj ponownie za minutę.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'Zaloguj się tak jak za pierwszym razem.',
    EmailSignin: 'Nie udało się wysłać e-maila. Sprawdź adres i spróbuj ponownie.',
    EmailCreateAccount: noAccount,
    CredentialsSignin: 'Te dane się nie zgadzają. Sprawdź je i spróbuj ponownie.',
    Callback: tryAgain,
    SessionRequired: 'Zaloguj się, aby zobaczyć tę stronę.',
    ConfirmationRequired: 'Potwierdź, że to Ty, i spróbuj ponownie.',
    SecondFactorRequired: 'Potwierdź drugim składnikiem uwierzytelniania, że to Ty.',
    Csrf: 'Ta strona wygasła. Nic nie zostało zmienione. Spróbuj ponownie.',
    Cancelled: 'Logowanie zostało anulowane. W każdej chwili możesz spróbować ponownie.',
    RateLimited: 'Zbyt wiele prób. Odczekaj chwilę i spróbuj ponownie.',
    Unavailable: 'Ta usługa jest teraz niedostępna. Spróbuj ponownie za minutę.',
  },
}
