import type { AccountTranslation } from '../texts.ts'

/** Polish. */
export const pl: AccountTranslation = {
  capabilities: {
    account: {
      heading: 'Twoje konto',
      saved: 'Zmiany zostały zapisane.',
      profile: 'Twoje dane',
      save: 'Zapisz',
      notVerified: 'niepotwierdzony',
      changeEmail: 'Zmień adres e-mail',
      changeEmailText: 'Wyślemy link na nowy adres e-mail. Otwórz go w tej przeglądarce.',
      addWay: 'Dodaj sposób logowania',
      rename: 'Zmień',
      sessions: 'Aktywne sesje',
      thisBrowser: 'Ta przeglądarka',
      unknownBrowser: 'Nieznana przeglądarka',
      since: 'Zalogowano {name}',
      endSession: 'Zakończ tę sesję',
      endOtherSessions: 'Zakończ wszystkie inne sesje',
      deleteAccount: 'Usuń konto',
      deleteText:
        'Twoje konto i wszystko, co jest z nim związane, zostaną usunięte. Tej operacji nie można cofnąć.',
      deleted: 'Twoje konto zostało usunięte',
      deletedText: 'Wszystkie Twoje sesje zostały zakończone.',
      emailTaken: 'Inne konto ma ten adres e-mail. Twój adres e-mail nie został zmieniony.',
      profileText: 'Twoja nazwa i adres e-mail, na który piszemy.',
      waysText: 'Każdy z nich pozwala się zalogować. Zachowaj dwa na wypadek utraty jednego.',
      sessionsText: 'Zakończ te, których nie rozpoznajesz.',
      removeHeading: 'Usunąć „{name}”?',
      removeText:
        'Po usunięciu nie będzie można się tak zalogować. Możesz dodać to ponownie później.',
    },
    securityEmails: {
      changes: {
        newBrowser: 'Zalogowano się z nowej przeglądarki na Twoje konto w {name}',
        factorAdded: 'Do Twojego konta w {name} dodano drugi składnik uwierzytelniania',
        factorRemoved: 'Z Twojego konta w {name} usunięto drugi składnik uwierzytelniania',
        recoveryCodeUsed: 'Użyto kodu odzyskiwania Twojego konta w {name}',
        recoveryCodesReplaced: 'Utworzono nowe kody odzyskiwania Twojego konta w {name}',
        secondFactorFailed: 'Wpisano wiele błędnych kodów do Twojego konta w {name}',
        passwordChanged: 'Zmieniono hasło Twojego konta w {name}',
        emailChanged: 'Zmieniono adres e-mail Twojego konta w {name}',
        accountLinked: 'Do Twojego konta w {name} dodano sposób logowania',
        accountUnlinked: 'Z Twojego konta w {name} usunięto sposób logowania',
        applicationAllowed: 'Zezwolono aplikacji na korzystanie z Twojego konta w {name}',
        applicationReused: 'Zakończono dostęp aplikacji do Twojego konta w {name}',
      },
      time: 'Czas: {name}',
      browser: 'Przeglądarka: {name}',
      detail: 'Nazwa: {name}',
      further: 'Od naszego ostatniego e-maila zaszły też inne zmiany.',
      wasYou: 'Jeśli to Ty, zignoruj ten e-mail.',
      wasNotYou: 'Jeśli to nie Ty, otwórz ten link, aby zakończyć wszystkie sesje:',
      note: 'Link działa tylko raz. Czas ważności: {name}.',
      endSessions: 'Zakończ wszystkie sesje',
      endSessionsText:
        'Nastąpi wylogowanie z Twojego konta we wszystkich przeglądarkach. Potem zaloguj się ponownie.',
      sessionsEnded: 'Zakończono wszystkie sesje',
      sessionsEndedText:
        'Wylogowano z Twojego konta we wszystkich przeglądarkach. Zaloguj się ponownie i sprawdź, co zmieniono.',
    },
  },
}
