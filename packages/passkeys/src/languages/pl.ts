import type { PasskeyTranslation } from '../texts.ts'

/** Polish. */
export const pl: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: 'Klucz dostępu',
      signIn: 'Zaloguj się kluczem dostępu',
      confirm: 'Potwierdź kluczem dostępu',
      second: 'Użyj klucza dostępu',
      add: 'Dodaj klucz dostępu',
      create: 'Utwórz klucz dostępu',
      createText:
        'Dzięki kluczowi dostępu logujesz się tak, jak odblokowujesz swoje urządzenie: bez kodu i bez hasła.',
      waiting: 'Kontynuuj w oknie przeglądarki…',
      notNow: 'Nie teraz',
      synchronised: 'zsynchronizowany',
      notSynchronised: 'tylko na jednym urządzeniu',
      refused:
        'Ten klucz dostępu nie zadziałał. Spróbuj ponownie lub użyj innego sposobu logowania.',
      unknown: 'Ten klucz dostępu nie jest tutaj znany. Użyj innego sposobu logowania.',
      failed:
        'Przeglądarce nie udało się użyć klucza dostępu. Spróbuj ponownie lub użyj innego sposobu.',
      registered: 'To urządzenie ma już klucz dostępu do Twojego konta.',
      tooMany: 'Masz już 20 kluczy dostępu. Najpierw usuń jeden.',
    },
  },
}
