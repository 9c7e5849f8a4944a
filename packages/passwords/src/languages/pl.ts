import type { PasswordTranslation } from '../texts.ts'

/** Polish. */
export const pl: PasswordTranslation = {
  capabilities: {
    passwords: {
      password: 'Hasło',
      forgot: 'Nie pamiętasz hasła?',
      forgotText: 'Wpisz swój adres e-mail. Wyślemy Ci link do wyboru nowego hasła.',
      newHere: 'Pierwszy raz tutaj?',
      register: 'Utwórz konto',
      registerText: 'Wpisz swój adres e-mail. Wyślemy Ci link do wyboru hasła.',
      send: 'Wyślij link',
      choose: 'Wybierz hasło',
      chooseText: 'Użyj co najmniej {name} znaków. Dobrze sprawdza się kilka niepowiązanych słów.',
      newPassword: 'Nowe hasło',
      save: 'Zapisz hasło',
      change: 'Zmień hasło',
      changeText: 'Potem nastąpi wylogowanie ze wszystkich innych miejsc.',
      add: 'Dodaj hasło',
      tooShort: 'Wybierz hasło, które ma co najmniej {name} znaków.',
      tooLong: 'Wybierz hasło, które ma najwyżej {name} znaków.',
      unusable: 'To hasło zawiera znaki, których nie można użyć. Wybierz inne.',
      breached: 'To hasło jest znane z wycieku danych. Wybierz inne.',
      otherUser: 'Zalogowano jako {name}. Ta strona dotyczy innego konta.',
      needsEmail:
        'Hasło wymaga zweryfikowanego adresu e-mail. Najpierw zweryfikuj swój adres e-mail.',
      otherBrowser:
        'Otwórz ten link w przeglądarce, w której wpisano hasło. Jeśli to nie Ty, zamknij tę stronę: nic się nie stało.',
      waysText:
        'Nowe hasło zostało zapisane. Do Twojego konta należą też poniższe elementy. Usuń te, których nie rozpoznajesz.',
      mails: {
        create: {
          subject: 'Utwórz konto w {name}',
          text: 'Otwórz ten link, aby wybrać hasło do nowego konta w {name}:',
          button: 'Wybierz hasło',
        },
        reset: {
          subject: 'Wybierz nowe hasło do {name}',
          text: 'Otwórz ten link, aby wybrać nowe hasło do swojego konta w {name}:',
          button: 'Wybierz nowe hasło',
        },
        elsewhere: {
          subject: 'Twoje konto w {name}',
          text: 'Masz konto w {name} bez hasła. Najpierw się zaloguj, potem możesz dodać hasło:',
          button: 'Zaloguj się',
        },
        prove: {
          subject: 'Zweryfikuj adres e-mail dla {name}',
          text: 'Otwórz ten link w przeglądarce, w której właśnie wpisano hasło do {name}:',
          button: 'Zweryfikuj adres e-mail',
        },
        ways: 'Możesz też zalogować się przez: {name}.',
        ignore: 'Jeśli to nie Twoja prośba, zignoruj ten e-mail.',
      },
    },
  },
}
