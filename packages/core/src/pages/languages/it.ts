import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'Non siamo riusciti a farti accedere. Riprova.'
const noAccount = 'Non siamo riusciti a creare il tuo account. Riprova.'

/**
 * Italian.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { it } from '@latchkey/core/languages/it'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({ ...config, messages: { it } })
 */
export const it: Messages = {
  direction: 'ltr',
  signIn: 'Accedi',
  continueWith: 'Continua con {name}',
  continueWithEmail: 'Continua con l’email',
  emailLink: 'Inviami un link via email',
  lastUsed: 'Ultimo usato',
  or: 'oppure',
  signInTo: 'per continuare su {name}',
  signedInAs: 'Hai effettuato l’accesso come {name}.',
  continue: 'Continua',
  useAnotherAccount: 'Usa un altro account',
  signOut: 'Esci',
  signOutQuestion: 'Vuoi uscire?',
  notSignedIn: 'Non hai effettuato l’accesso.',
  cancel: 'Annulla',
  signedOutHere:
    'L’accesso è terminato in questo browser. Una copia della sessione può restare valida (al massimo {name}).',
  checkEmail: 'Controlla la posta',
  checkEmailText: 'Ti abbiamo inviato un’email. Apri il link che contiene per continuare.',
  sentTo: 'Abbiamo inviato un’email a {name}. Apri il link che contiene per continuare.',
  noEmail: 'Nessuna email? Guarda nella cartella spam o richiedine un’altra.',
  sendAgain: 'Invia di nuovo',
  sentAgain: 'Abbiamo inviato un’altra email.',
  useAnotherEmail: 'Usa un altro indirizzo email',
  notAnEmail: 'Questo non è un indirizzo email. Controllalo e riprova.',
  email: 'Indirizzo email',
  code: 'Oppure inserisci il codice di otto cifre dell’email',
  wrongCode: 'Questo codice è errato o scaduto. Controllalo e riprova.',
  emailNotSent: 'Non siamo riusciti a inviare l’email. Riprova tra un minuto.',
  confirm: 'Accedere come {name}?',
  confirmText: 'Hai aperto un link di accesso. Se non l’hai richiesto, chiudi questa pagina.',
  error: 'Qualcosa è andato storto',
  accessDenied: 'Non hai accesso',
  linkExpired: 'Questo link non funziona più',
  notFound: 'Pagina non trovata',
  notFoundText: 'Questa pagina non esiste. Controlla l’URL o torna indietro.',
  back: 'Torna a {name}',
  retryIn: 'Troppi tentativi. Riprova tra {name}.',
  terms: 'Termini',
  privacy: 'Privacy',
  confirmation: {
    heading: 'Conferma la tua identità',
    text: 'Accedi di nuovo per continuare.',
    none: 'Non puoi confermare qui. Esci, poi accedi di nuovo.',
  },
  ways: {
    name: 'Nome',
    ways: 'Metodi di accesso',
    remove: 'Rimuovi',
    added: 'Data di aggiunta: {name}',
    lastUsed: 'ultimo utilizzo: {name}',
    isEmail: 'Questo è il tuo indirizzo email. Modificalo per rimuoverlo.',
    lastWay: 'Questo è il tuo unico metodo di accesso. Prima aggiungine un altro.',
    lastFactor: 'Qui è richiesto un secondo passaggio. Prima aggiungine un altro.',
    invalidName: 'Inserisci un nome di massimo {name} caratteri.',
    gone: 'Questo elemento non esiste più. Forse è stato modificato in un’altra finestra.',
  },
  mail: {
    subject: 'Accedi a {name}',
    text: 'Apri questo link per accedere a {name}:',
    linkSubject: 'Aggiungi questo indirizzo email al tuo account su {name}',
    linkText:
      'Apri questo link solo se stai aggiungendo questo indirizzo email al tuo account su {name}:',
    confirmSubject: 'Conferma la tua identità su {name}',
    confirmText: 'Apri questo link per confermare la tua identità su {name}:',
    code: 'Oppure inserisci questo codice nella pagina in cui l’hai richiesto:',
    note: 'Funziona una sola volta e scade tra {name}. Se non l’hai richiesto, ignora questa email.',
  },
  errors: {
    Configuration: 'Questo servizio non è configurato correttamente. Contatta il gestore.',
    AccessDenied: 'Questo account non ha accesso. Accedi con un altro account.',
    Verification: 'Questo link o codice è scaduto o è già stato usato. Richiedine uno nuovo.',
    Default: 'Non siamo riusciti a gestire questa richiesta. Torna indietro e riprova.',
    OAuthSignin: 'Non siamo riusciti a contattare il provider di accesso. Riprova tra un minuto.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'Accedi nello stesso modo della prima volta.',
    EmailSignin: 'Non siamo riusciti a inviare l’email. Controlla l’indirizzo e riprova.',
    EmailCreateAccount: noAccount,
    CredentialsSignin: 'Questi dati non corrispondono. Controllali e riprova.',
    Callback: tryAgain,
    SessionRequired: 'Accedi per vedere questa pagina.',
    ConfirmationRequired: 'Conferma la tua identità, poi riprova.',
    SecondFactorRequired: 'Dimostra con un secondo fattore che sei tu.',
    Csrf: 'Questa pagina è scaduta. Non è stato modificato nulla. Riprova.',
    Cancelled: 'Hai annullato l’accesso. Puoi riprovare in qualsiasi momento.',
    RateLimited: 'Troppi tentativi. Attendi un po’ e riprova.',
    Unavailable: 'Questo servizio non è disponibile al momento. Riprova tra un minuto.',
  },
}
