import type { PasswordTranslation } from '../texts.ts'

/** Italian. */
export const it: PasswordTranslation = {
  capabilities: {
    passwords: {
      password: 'Password',
      forgot: 'Password dimenticata?',
      forgotText:
        'Inserisci il tuo indirizzo email. Ti inviamo un link per scegliere una nuova password.',
      newHere: 'È la prima volta?',
      register: 'Crea un account',
      registerText:
        'Inserisci il tuo indirizzo email. Ti inviamo un link per scegliere una password.',
      send: 'Invia il link',
      choose: 'Scegli una password',
      chooseText: 'Usa almeno {name} caratteri. Vanno bene più parole senza legami tra loro.',
      newPassword: 'Nuova password',
      save: 'Salva la password',
      change: 'Cambia la password',
      changeText: 'Dopo verrai disconnesso da tutti gli altri dispositivi.',
      add: 'Aggiungi una password',
      tooShort: 'Scegli una password di almeno {name} caratteri.',
      tooLong: 'Scegli una password di al massimo {name} caratteri.',
      unusable: 'Questa password contiene caratteri che non si possono usare. Scegline un’altra.',
      breached: 'Questa password è nota da una fuga di dati. Scegline un’altra.',
      otherUser: 'Hai eseguito l’accesso come {name}. Questa pagina è per un altro account.',
      needsEmail: 'Una password richiede un indirizzo email verificato. Verifica prima il tuo.',
      otherBrowser:
        'Apri questo link nel browser in cui hai inserito la password. Se non sei stato tu, chiudi questa pagina: non è successo nulla.',
      waysText:
        'La nuova password è stata salvata. Anche questi elementi appartengono al tuo account. Rimuovi quelli che non riconosci.',
      mails: {
        create: {
          subject: 'Crea il tuo account su {name}',
          text: 'Apri questo link per scegliere una password per il tuo nuovo account su {name}:',
          button: 'Scegli una password',
        },
        reset: {
          subject: 'Scegli una nuova password per {name}',
          text: 'Apri questo link per scegliere una nuova password per il tuo account su {name}:',
          button: 'Scegli una nuova password',
        },
        elsewhere: {
          subject: 'Il tuo account su {name}',
          text: 'Hai un account su {name} senza password. Prima accedi; poi potrai aggiungerne una:',
          button: 'Accedi',
        },
        prove: {
          subject: 'Verifica il tuo indirizzo email per {name}',
          text: 'Apri questo link nel browser in cui hai appena inserito la password per {name}:',
          button: 'Verifica l’indirizzo email',
        },
        ways: 'Puoi accedere anche con {name}.',
        ignore: 'Se non hai richiesto questa email, ignorala.',
      },
    },
  },
}
