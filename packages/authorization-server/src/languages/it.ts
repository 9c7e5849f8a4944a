import type { AuthorizationServerTranslation } from '../texts.ts'

/** Italian. */
export const it: AuthorizationServerTranslation = {
  capabilities: {
    authorizationServer: {
      heading: '{name} chiede l’accesso al tuo account',
      continuesAt: 'Poi continuerai su {name}.',
      onThisDevice:
        'Questa applicazione è in esecuzione sul tuo dispositivo. Continua solo se l’hai appena avviata tu.',
      scopes: 'Potrà:',
      allow: 'Consenti',
      deny: 'Non ora',
      scopeProfile: 'Conoscere il suo nome e la sua foto',
      scopeEmail: 'Conoscere il suo indirizzo email',
      scopeOffline: 'Mantenere questo accesso in sua assenza',
      invalid: 'Questa richiesta non è valida',
      unknownClient: 'L’applicazione non è conosciuta qui. Chiedi al suo fornitore.',
      wrongRedirect: 'L’applicazione indica un URL di ritorno che non è registrato per essa.',
      ended: 'Questa richiesta è terminata. Ricomincia nell’applicazione.',
      leaving: 'Puoi continuare',
      continueAt: 'Continua su {name}',
      applications: 'Applicazioni',
      applicationsText:
        'Queste applicazioni agiscono per tuo conto. Rimuovi quelle che non riconosci.',
      removeApplication: 'Rimuovi l’accesso',
      deviceHeading: 'Collega un dispositivo',
      deviceText: 'Inserisci il codice mostrato dal dispositivo.',
      deviceCode: 'Codice del dispositivo',
      deviceWrong: 'Questo codice è errato o scaduto. Guarda di nuovo il dispositivo.',
      deviceWarning:
        'Continua solo se hai iniziato questa operazione su un dispositivo che hai davanti.',
      deviceAge: 'Tempo trascorso dalla richiesta: {name}',
      deviceAddress: 'Indirizzo IP: {name}',
      deviceBrowser: 'Browser o programma: {name}',
      deviceUnknown: 'sconosciuto',
      deviceAllowed: 'Il dispositivo è collegato',
      deviceDenied: 'Il dispositivo non ottiene l’accesso',
      deviceClose: 'Puoi chiudere questa pagina.',
    },
  },
}
