import type { SecondFactorTranslation } from '../texts.ts'

/** Polish. */
export const pl: SecondFactorTranslation = {
  capabilities: {
    secondFactor: {
      totp: 'Aplikacja uwierzytelniająca',
      recovery: 'Kody odzyskiwania',
      heading: 'Drugi krok',
      text: 'Potwierdź drugim składnikiem uwierzytelniania, że to Ty.',
      code: 'Kod z aplikacji uwierzytelniającej',
      recoveryCode: 'Kod odzyskiwania',
      useApp: 'Użyj aplikacji uwierzytelniającej',
      useRecoveryCode: 'Użyj kodu odzyskiwania',
      enrol: 'Skonfiguruj aplikację uwierzytelniającą',
      enrolText:
        'Zeskanuj obraz aplikacją uwierzytelniającą lub wpisz w niej klucz. Następnie wpisz tutaj kod, który pokazuje aplikacja.',
      required: 'Tutaj wymagany jest drugi składnik uwierzytelniania.',
      choose: 'Wybierz drugi składnik uwierzytelniania. Będzie potrzebny przy logowaniu.',
      picture: 'Kod QR dla aplikacji uwierzytelniającej',
      openApp: 'Otwórz w aplikacji na tym urządzeniu',
      key: 'Klucz',
      codes: 'Twoje kody odzyskiwania',
      codesText:
        'Przechowuj te kody w bezpiecznym miejscu. Każdy z nich jeden raz zastępuje drugi składnik uwierzytelniania. Nie zostaną pokazane ponownie.',
      download: 'Pobierz jako tekst',
      saved: 'Zapisano te kody',
      remember: 'Nie pytaj w tej przeglądarce (czas: {name})',
      tooMany: 'Masz ich już 20. Najpierw usuń jeden.',
      changed: 'Zmieniono to w innym miejscu. Spróbuj ponownie.',
      accountText: 'Z drugim krokiem sam e-mail lub hasło nie wystarczy do zalogowania.',
      newCodes: 'Utwórz nowe kody odzyskiwania',
      removeText: 'Po usunięciu nie będziemy już o to pytać przy logowaniu.',
    },
  },
}
