import type { PasskeyTranslation } from '../texts.ts'

/** Italian. */
export const it: PasskeyTranslation = {
  capabilities: {
    passkeys: {
      name: 'Passkey',
      signIn: 'Accedi con una passkey',
      confirm: 'Conferma con una passkey',
      second: 'Usa una passkey',
      add: 'Aggiungi una passkey',
      create: 'Crea una passkey',
      createText:
        'Con una passkey accedi nello stesso modo in cui sblocchi il dispositivo, senza codice né password.',
      waiting: 'Continua nella finestra del browser…',
      notNow: 'Non ora',
      synchronised: 'sincronizzata',
      notSynchronised: 'solo su un dispositivo',
      refused: 'Questa passkey non ha funzionato. Riprova o usa un altro metodo di accesso.',
      unknown: 'Questa passkey non è riconosciuta qui. Usa un altro metodo di accesso.',
      failed: 'Il tuo browser non è riuscito a usare una passkey. Riprova o usa un altro metodo.',
      registered: 'Questo dispositivo ha già una passkey per il tuo account.',
      tooMany: 'Hai già 20 passkey. Prima rimuovine una.',
    },
  },
}
