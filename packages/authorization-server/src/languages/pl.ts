import type { AuthorizationServerTranslation } from '../texts.ts'

/** Polish. */
export const pl: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} prosi o dostęp do Twojego konta',
      continuesAt: 'Następnie przejdziesz do {name}.',
      onThisDevice:
        'Ta aplikacja działa na Twoim urządzeniu. Kontynuuj tylko wtedy, gdy właśnie ją uruchomiono na Twoje polecenie.',
      scopes: 'Aplikacja będzie mogła:',
      allow: 'Zezwól',
      deny: 'Nie teraz',
      scopeProfile: 'Znać Twoje imię i zdjęcie',
      scopeEmail: 'Znać Twój adres e-mail',
      scopeOffline: 'Zachować ten dostęp podczas Twojej nieobecności',
      invalid: 'To żądanie jest nieprawidłowe',
      unknownClient: 'Ta aplikacja nie jest tu znana. Skontaktuj się z jej dostawcą.',
      wrongRedirect: 'Aplikacja podaje adres URL powrotu, który nie jest dla niej zarejestrowany.',
      ended: 'To żądanie wygasło. Zacznij od nowa w aplikacji.',
      leaving: 'Możesz kontynuować',
      continueAt: 'Przejdź do {name}',
      applications: 'Aplikacje',
      applicationsText: 'Te aplikacje działają w Twoim imieniu. Usuń te, których nie rozpoznajesz.',
      removeApplication: 'Odbierz dostęp',
      deviceHeading: 'Połącz urządzenie',
      deviceText: 'Wpisz kod widoczny na urządzeniu.',
      deviceCode: 'Kod z urządzenia',
      deviceWrong: 'Ten kod jest błędny albo wygasł. Sprawdź go jeszcze raz na urządzeniu.',
      deviceWarning:
        'Kontynuuj tylko wtedy, gdy rozpoczęto to na urządzeniu, które masz przed sobą.',
      deviceAge: 'Czas od zapytania: {name}',
      deviceAddress: 'Adres IP: {name}',
      deviceBrowser: 'Przeglądarka lub program: {name}',
      deviceUnknown: 'brak danych',
      deviceAllowed: 'Urządzenie jest połączone',
      deviceDenied: 'Urządzenie nie otrzyma dostępu',
      deviceClose: 'Możesz zamknąć tę stronę.',
    },
  },
}
