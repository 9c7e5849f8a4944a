import type { AccountTranslation } from '../texts.ts'

/** Italian. */
export const it: AccountTranslation = {
  capabilities: {
    account: {
      heading: 'Il tuo account',
      saved: 'Le modifiche sono state salvate.',
      profile: 'I tuoi dati',
      save: 'Salva',
      notVerified: 'non verificato',
      changeEmail: 'Modifica l’indirizzo email',
      changeEmailText: 'Invieremo un link al nuovo indirizzo email. Aprilo in questo browser.',
      addWay: 'Aggiungi un metodo di accesso',
      rename: 'Modifica',
      sessions: 'Dove hai effettuato l’accesso',
      thisBrowser: 'Questo browser',
      unknownBrowser: 'Browser sconosciuto',
      since: 'Data di accesso: {name}',
      endSession: 'Termina la sessione',
      endOtherSessions: 'Termina tutte le altre sessioni',
      deleteAccount: 'Elimina l’account',
      deleteText:
        'Il tuo account e tutto ciò che vi è collegato verranno eliminati. Non è possibile annullare l’operazione.',
      deleted: 'Il tuo account è stato eliminato',
      deletedText: 'L’accesso è terminato ovunque.',
      emailTaken:
        'Un altro account usa questo indirizzo email. Il tuo indirizzo email non è stato modificato.',
      profileText: 'Il tuo nome e l’indirizzo email a cui scriviamo.',
      waysText: 'Con ciascuno puoi accedere. Tienine due, nel caso ne perdessi uno.',
      sessionsText: 'Chiudi ciò che non riconosci.',
      removeHeading: 'Rimuovere «{name}»?',
      removeText:
        'Se lo rimuovi, non potrai più accedere in questo modo. Potrai aggiungerlo di nuovo in seguito.',
    },
    securityEmails: {
      changes: {
        newBrowser: 'Un nuovo browser ha effettuato l’accesso al tuo account su {name}',
        factorAdded: 'Un secondo fattore è stato aggiunto al tuo account su {name}',
        factorRemoved: 'Un secondo fattore è stato rimosso dal tuo account su {name}',
        recoveryCodeUsed: 'Un codice di recupero del tuo account su {name} è stato usato',
        recoveryCodesReplaced:
          'Sono stati creati nuovi codici di recupero per il tuo account su {name}',
        secondFactorFailed: 'Sono stati inseriti molti codici errati per il tuo account su {name}',
        passwordChanged: 'La password del tuo account su {name} è stata cambiata',
        emailChanged: 'L’indirizzo email del tuo account su {name} è stato cambiato',
        accountLinked: 'Un modo per accedere è stato aggiunto al tuo account su {name}',
        accountUnlinked: 'Un modo per accedere è stato rimosso dal tuo account su {name}',
        applicationAllowed: 'Un’applicazione è stata autorizzata a usare il tuo account su {name}',
        applicationReused:
          'L’accesso di un’applicazione al tuo account su {name} è stato terminato',
      },
      time: 'Data e ora: {name}',
      browser: 'Browser usato: {name}',
      detail: 'Nome: {name}',
      further: 'Ci sono state altre modifiche dopo la nostra ultima email.',
      wasYou: 'Se sei stato tu, ignora questa email.',
      wasNotYou: 'Se non sei stato tu, apri questo link per terminare tutte le sessioni:',
      note: 'Il link funziona una sola volta e scade tra {name}.',
      endSessions: 'Termina tutte le sessioni',
      endSessionsText: 'L’accesso al tuo account terminerà in ogni browser. Poi accedi di nuovo.',
      sessionsEnded: 'Tutte le sessioni sono terminate',
      sessionsEndedText:
        'L’accesso al tuo account è terminato in ogni browser. Accedi di nuovo e controlla che cosa è stato cambiato.',
    },
  },
}
